"""Orders leave the outbox when they are due, again while nobody confirms them, and not when they are moot."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from tests.domain import Lab
from vast.allocation.services import accepted, cancel
from vast.common import clock
from vast.common.models import OutboxMessage
from vast.drivers.outbox import FRAME_ORDERS, send_due

Sent = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    frames: Sent = []
    monkeypatch.setattr(
        "vast.drivers.outbox.publish",
        lambda channel, message: frames.append((message["node"], message["frame"])),
    )
    return frames


@pytest.mark.django_db
class TestSending:
    def test_a_launch_is_sent_to_its_node(self, lab: Lab, sent: Sent) -> None:
        node = lab.node("a")
        job = lab.submit(devices=1)
        lab.schedule()
        assert send_due() == 1
        assert sent == [(str(node.pk), {"type": "launch", "tasks": [lab.live(job)[0].order]})]

    def test_what_was_just_sent_is_not_due(self, lab: Lab, sent: Sent) -> None:
        lab.node("a")
        lab.submit(devices=1)
        lab.schedule()
        assert (send_due(), send_due()) == (1, 0)

    def test_what_nobody_confirms_is_repeated_ever_more_slowly(self, lab: Lab, sent: Sent) -> None:
        lab.node("a")
        lab.submit(devices=1)
        lab.schedule()
        start, moments = clock.now(), []
        for second in range(200):
            with clock.frozen(start + timedelta(seconds=second)):
                if send_due():
                    moments.append(second)
        assert moments == [0, 3, 9, 21, 45, 93, 153]

    def test_what_is_confirmed_is_not_repeated(self, lab: Lab, sent: Sent) -> None:
        node = lab.node("a")
        job = lab.submit(devices=1)
        lab.schedule()
        send_due()
        accepted(node_id=node.pk, allocations=[lab.live(job)[0].pk], kind="launch")
        with clock.frozen(clock.now() + timedelta(minutes=5)):
            assert send_due() == 0

    def test_another_node_confirms_nothing(self, lab: Lab, sent: Sent) -> None:
        lab.node("a")
        job = lab.submit(devices=1)
        lab.schedule()
        stranger = lab.node("b")
        send_due()
        accepted(node_id=stranger.pk, allocations=[lab.live(job)[0].pk], kind="launch")
        with clock.frozen(clock.now() + timedelta(minutes=5)):
            assert send_due() == 1

    def test_the_answer_to_a_launch_does_not_confirm_a_stop_just_written(self, lab: Lab, sent: Sent) -> None:
        node = lab.node("a")
        job = lab.submit(devices=1)
        lab.schedule()
        send_due()
        allocation = lab.live(job)[0]
        cancel(job_id=job.pk, actor="mia")
        accepted(node_id=node.pk, allocations=[allocation.pk], kind="launch")
        assert send_due() == 1
        assert sent[-1][1] == {
            "type": "stop",
            "allocations": [{"allocation": str(allocation.pk), "grace_s": 10}],
        }

    def test_a_launch_that_was_cancelled_first_is_not_sent(self, lab: Lab, sent: Sent) -> None:
        lab.node("a")
        job = lab.submit(devices=1)
        lab.schedule()
        cancel(job_id=job.pk, actor="mia")
        assert send_due() == 1
        assert [frame["type"] for _, frame in sent] == ["stop"]

    def test_orders_for_what_has_ended_are_dropped(self, lab: Lab, sent: Sent) -> None:
        lab.node("a")
        job = lab.run(lab.submit(devices=1))
        lab.exited(job)
        OutboxMessage.objects.update(done_at=None)
        assert send_due() == 0
        assert sent == []
        assert not OutboxMessage.objects.filter(done_at=None).exists()

    def test_many_orders_travel_in_frames_of_a_bounded_size(self, lab: Lab, sent: Sent) -> None:
        for index in range(3):
            lab.node(f"n{index}")
        lab.submit(cores=1, memory_mib=64, top={"array": 250})
        lab.schedule()
        assert send_due() == 250
        assert all(len(frame["tasks"]) <= FRAME_ORDERS for _, frame in sent)
        assert len({task["allocation"] for _, frame in sent for task in frame["tasks"]}) == 250


@pytest.mark.django_db(transaction=True)
def test_an_order_that_another_worker_holds_is_left_to_it(lab: Lab, sent: Sent) -> None:
    lab.node("a")
    lab.submit(devices=1)
    lab.schedule()
    held, done = threading.Event(), threading.Event()

    def other_worker() -> None:
        try:
            with transaction.atomic():
                list(OutboxMessage.objects.select_for_update())
                held.set()
                done.wait(20)
        finally:
            connection.close()

    worker = threading.Thread(target=other_worker)
    worker.start()
    assert held.wait(20)
    try:
        assert send_due() == 0
    finally:
        done.set()
        worker.join(20)
    assert send_due() == 1
