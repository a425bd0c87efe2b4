"""The description of the API is valid, is the one in ``docs/``, and tells the truth about the job document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from openapi_spec_validator import validate
from rest_framework.test import APIClient

from tests.domain import Lab
from vast.jobs.document import JobDocument

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("schema") / "openapi.yaml"
    call_command("spectacular", file=str(file), validate=True, fail_on_warn=True)
    return file.read_text(encoding="utf-8")


def test_the_schema_is_valid(generated: str) -> None:
    validate(yaml.safe_load(generated))


def test_the_schema_in_the_docs_is_the_one_of_the_code(generated: str) -> None:
    written = (ROOT / "docs" / "openapi.yaml").read_text(encoding="utf-8")
    assert written == generated, "docs/openapi.yaml is stale: run scripts/schema.sh"


def test_the_schema_describes_every_field_of_the_document(generated: str) -> None:
    described = yaml.safe_load(generated)["components"]["schemas"]["JobDocument"]["properties"]
    assert set(described) == set(JobDocument.model_fields)


def test_every_operation_may_answer_with_a_problem(generated: str) -> None:
    operations = [
        operation
        for path in yaml.safe_load(generated)["paths"].values()
        for name, operation in path.items()
        if name in {"get", "post", "put", "patch", "delete"}
    ]
    assert len(operations) > 40
    assert all("application/problem+json" in item["responses"]["default"]["content"] for item in operations)


def test_the_interactive_pages_open(db: None) -> None:
    assert APIClient().get("/api/v1/docs/").status_code == 200
    assert APIClient().get("/api/v1/schema/").status_code == 200


def test_the_schema_of_the_document_is_served(lab: Lab, mia: APIClient) -> None:
    served: dict[str, Any] = mia.get("/api/v1/jobs/schema/").json()
    assert served == JobDocument.model_json_schema()
