"""Saved views of the console's lists. They are their owner's alone: nobody else can read or change them."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from rest_framework import mixins, serializers, viewsets

from vast.api.models import SavedView
from vast.common.errors import Conflict

MOST_A_PAGE = 50
MOST_FILTERS = 40
MOST_COLUMNS = 60


class SavedViewSerializer(serializers.ModelSerializer):
    page = serializers.ChoiceField(choices=SavedView.Page.choices)
    name = serializers.CharField(max_length=80)
    search = serializers.DictField(
        child=serializers.CharField(max_length=500), help_text="The page's filters and order."
    )
    columns = serializers.ListField(
        child=serializers.CharField(max_length=40),
        allow_null=True,
        required=False,
        default=None,
        max_length=MOST_COLUMNS,
        help_text="Keys of the columns in view; null = the usual ones.",
    )

    class Meta:
        model = SavedView
        fields = ["id", "page", "name", "search", "columns", "is_default", "created_at"]
        read_only_fields = ["id", "created_at"]

    def validate_search(self, value: dict[str, str]) -> dict[str, str]:
        if len(value) > MOST_FILTERS:
            raise serializers.ValidationError(f"at most {MOST_FILTERS} filters")
        return value

    def validate_page(self, value: str) -> str:
        if self.instance is not None and value != self.instance.page:
            raise serializers.ValidationError("a view stays on its page")
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        page = attrs.get("page") or self.instance.page
        same = SavedView.objects.filter(user=self.context["request"].user, page=page, name=attrs.get("name"))
        if same.exclude(pk=getattr(self.instance, "pk", None)).exists():
            raise serializers.ValidationError({"name": ["there is a view of this name"]}, code="unique")
        return attrs


class SavedViewViewSet(
    mixins.ListModelMixin,
    mixins.CreateModelMixin,
    mixins.UpdateModelMixin,
    mixins.DestroyModelMixin,
    viewsets.GenericViewSet,
):
    """One's own saved views of the console's lists; at most one of each page is its default."""

    queryset = SavedView.objects.none()
    serializer_class = SavedViewSerializer
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]

    def get_queryset(self) -> QuerySet[SavedView]:
        if getattr(self, "swagger_fake_view", False):
            return self.queryset
        return SavedView.objects.filter(user=self.request.user)

    @transaction.atomic
    def perform_create(self, serializer: serializers.BaseSerializer[SavedView]) -> None:
        page = serializer.validated_data["page"]
        if self.get_queryset().filter(page=page).count() >= MOST_A_PAGE:
            raise Conflict(f"At most {MOST_A_PAGE} views of a page are kept. Delete one first.")
        self._make_room(serializer, page)
        serializer.save(user=self.request.user)

    @transaction.atomic
    def perform_update(self, serializer: serializers.BaseSerializer[SavedView]) -> None:
        assert serializer.instance is not None
        self._make_room(serializer, serializer.instance.page)
        serializer.save()

    def _make_room(self, serializer: serializers.BaseSerializer[SavedView], page: str) -> None:
        """The former default gives way to a new one."""
        if serializer.validated_data.get("is_default"):
            self.get_queryset().filter(page=page, is_default=True).update(is_default=False)
