"""What drf-spectacular cannot see by itself: the job document, and that every error is a problem."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema as Base
from drf_spectacular.plumbing import ResolvedComponent
from rest_framework import serializers

from vast.jobs.document import JobDocument


class ReasonSerializer(serializers.Serializer):
    """A code with parameters; ``evidence`` holds finer reasons of the same form."""

    code = serializers.CharField()
    params = serializers.DictField()
    evidence = serializers.ListField(child=serializers.DictField())
    message = serializers.CharField(required=False, help_text="The sentence, in the reader's language.")


class FieldProblemSerializer(serializers.Serializer):
    field = serializers.CharField(
        help_text="Path of the field, such as groups[0].request.cores; empty = the whole body."
    )
    code = serializers.CharField()
    detail = serializers.CharField()
    allowed = serializers.JSONField(required=False)


class ProblemSerializer(serializers.Serializer):
    """RFC 9457."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    errors = FieldProblemSerializer(many=True)


class JobDocumentField:
    """Marks a request body as the job document."""


class JobDocumentExtension(OpenApiSerializerExtension):
    target_class = "vast.api.schema.JobDocumentField"

    def get_name(self, auto_schema: Any, direction: str) -> str:
        return "JobDocument"

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        schema = JobDocument.model_json_schema(ref_template="#/components/schemas/{model}")
        for name, definition in schema.pop("$defs", {}).items():
            component = ResolvedComponent(
                name=name, type=ResolvedComponent.SCHEMA, object=f"document.{name}", schema=definition
            )
            auto_schema.registry.register_on_missing(component)
        return schema


class AutoSchema(Base):
    """Adds the problem answer to every operation."""

    def _get_response_bodies(self, direction: str = "response") -> dict[str, Any]:
        responses: dict[str, Any] = super()._get_response_bodies(direction)
        component = self.resolve_serializer(ProblemSerializer, "response")
        responses["default"] = {
            "description": "What went wrong.",
            "content": {"application/problem+json": {"schema": component.ref}},
        }
        return responses
