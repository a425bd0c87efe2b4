"""Beat while the broker is away."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from celery import Celery
from celery.beat import Scheduler as CelerysOwn

from vast.config.beat import Scheduler
from vast.config.celery import app as product
from vast.runtime.redis import EmbeddedRedis


@pytest.fixture
def celery() -> Celery:
    app = Celery("test", set_as_current=False)
    app.conf.update(
        broker_transport_options=product.conf.broker_transport_options,
        task_publish_retry=False,
        beat_schedule={"often": {"task": "nobody.takes.it", "schedule": 1.0}},
    )
    return app


def _send(beat: CelerysOwn, times: int) -> None:
    for _ in range(times):
        beat.apply_entry(beat.schedule["often"], producer=beat.producer)


def test_a_broker_that_goes_and_comes_back_is_told_in_one_line_each(
    celery: Celery, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with EmbeddedRedis(tmp_path) as redis, caplog.at_level(logging.WARNING):
        celery.conf.broker_url = redis.url
        beat = Scheduler(celery, schedule_filename=str(tmp_path / "schedule"))
        _send(beat, 1)
        assert not caplog.records
        redis.kill()
        _send(beat, 3)
        redis.start()
        _send(beat, 2)
        beat.close()
    first, second = (record.getMessage() for record in caplog.records)
    assert first.startswith("the broker is away")
    assert second == "the broker is back; periodic work goes on"
    assert not any(record.exc_info for record in caplog.records)


def test_the_product_runs_with_it() -> None:
    assert product.conf.beat_scheduler == "vast.config.beat.Scheduler"
