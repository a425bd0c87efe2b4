"""Changed rows are written as they are, whatever the type of the field."""

from __future__ import annotations

import pytest
from django.db import DataError, transaction

from tests.domain import Lab
from vast.common import clock
from vast.common.rows import write
from vast.jobs.lifecycle import JOB_FIELDS
from vast.jobs.models import Job

pytestmark = pytest.mark.django_db


def test_every_kind_of_value_comes_back_as_it_was_written(lab: Lab) -> None:
    jobs = [lab.submit(name=f"job-{n}", devices=1) for n in range(3)]
    first, second, third = jobs
    first.reason, first.not_before, first.avoid_nodes = (
        {"code": "X", "params": {"a": [1, "ü\\'\""]}},
        clock.now(),
        ["n1"],
    )
    second.reason, second.position, second.priority, second.exit_code = None, 7, -5, None
    third.state, third.exit_code = "failed", 137
    write(Job, jobs, JOB_FIELDS)
    for job in jobs:
        fresh = Job.objects.get(pk=job.pk)
        assert {f: getattr(fresh, f) for f in JOB_FIELDS} == {f: getattr(job, f) for f in JOB_FIELDS}
    assert Job.objects.filter(reason__isnull=True).get() == second


def test_rows_that_are_not_given_stay_as_they_are(lab: Lab) -> None:
    job, other = lab.submit(devices=1), lab.submit(devices=1)
    job.priority = 9
    write(Job, [job], ["priority"])
    assert Job.objects.get(pk=other.pk).priority == 0


def test_too_long_a_text_is_refused_and_not_cut(lab: Lab) -> None:
    job = lab.submit(devices=1)
    job.state = "x" * 17
    with pytest.raises(DataError), transaction.atomic():
        write(Job, [job], ["state"])
