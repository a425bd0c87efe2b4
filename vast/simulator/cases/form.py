"""The form of a case. The reference in ``docs/scheduling-cases.md`` is generated from these descriptions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Cards = Annotated[float, Field(ge=0, le=1_000_000)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
PerClass = float | dict[str, float]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Template(Part):
    """A hard partition of a model."""

    name: Name
    slots: int = Field(ge=1, description="Placement slots that it blocks, of the model's partition_slots.")
    memory_mib: int = Field(ge=1)
    cores: int = Field(ge=0, le=100, description="Percent of the card's compute.")


class Model(Part):
    """A kind of card."""

    device_class: str = Field(default="card", description="What it counts as for quota.")
    memory_mib: int = Field(default=10_000, ge=1, description="Memory of one card.")
    max_slices: int = Field(default=100, ge=1, description="Slices that one card takes at most.")
    cores_ratio: float = Field(default=1, ge=1, description="Over-subscription of compute.")
    memory_ratio: float = Field(default=1, ge=1, description="Over-subscription of memory.")
    templates: list[Template] = Field(default_factory=list, description="Hard partitions.")
    partition_slots: int = Field(
        default=0, ge=0, description="Placement slots of a card that can be partitioned."
    )


class Node(Part):
    """A machine. Its cards are called NODE/0, NODE/1 and so on."""

    name: Name
    cards: int = Field(default=1, ge=0, description="How many cards.")
    model: str = Field(default="card", description="A name from models; the default model needs no entry.")
    more: dict[str, int] = Field(default_factory=dict, description="Cards of further models: {model: count}.")
    cpu: float = Field(default=1000, ge=0, description="CPU cores.")
    memory_gib: float = Field(default=1000, ge=0, description="Host memory.")
    slots: int = Field(default=1000, ge=0, description="Tasks that it takes at most.")
    domains: dict[str, str] = Field(default_factory=dict, description="Domain by topology level: {rack: r1}.")
    links: int = Field(
        default=1, ge=1, description="Groups of directly linked cards that its cards are split into."
    )
    labels: dict[str, str] = Field(default_factory=dict)
    ready: bool = True
    cordoned: bool = False
    unhealthy: list[int] = Field(default_factory=list, description="Cards that are broken.")
    external: list[int] = Field(default_factory=list, description="Cards that somebody outside VAST uses.")


class Policy(Part):
    """Settings of the pool; the defaults are those of a real pool, but nothing is reserved by waiting."""

    oversell: float = Field(default=1, ge=1)
    decay: float = Field(default=0, ge=0, description="k of usage decay.")
    hold_timeout: int = Field(default=600, ge=1, description="Seconds.")
    reserve_after: int = Field(
        default=1_000_000, ge=0, description="Seconds of waiting after which a job gets a reservation."
    )
    max_reservations: int = Field(default=4, ge=0)
    grow_after: int = Field(default=60, ge=0, description="Seconds after a loss before extras come back.")
    moves_per_hour: int = Field(default=100, ge=0)
    min_slice_charge: int = Field(default=1, ge=1, le=1000, description="Milli-cards.")


def _nodes(value: Any) -> Any:
    """``4`` = one node of four cards; ``2x3`` = two nodes of three."""
    if isinstance(value, int) and not isinstance(value, bool):
        return {"nodes": [{"name": "n0", "cards": value}]}
    if isinstance(value, str):
        count, _, cards = value.partition("x")
        if not (count.strip().isdigit() and cards.strip().isdigit()):
            raise ValueError("a number of cards, NODESxCARDS such as 2x3, or a mapping with nodes")
        return {"nodes": [{"name": f"n{i}", "cards": int(cards)} for i in range(int(count))]}
    return value


class Pool(Part):
    """The cards. Shorthand: a number = one node n0 with so many cards; ``2x3`` = nodes n0 and n1 of three cards."""

    nodes: list[Node] = Field(min_length=1)
    levels: list[str] = Field(
        default_factory=list, description="Topology levels, the widest first; node is implied."
    )
    models: dict[str, Model] = Field(default_factory=dict)
    policy: Policy = Field(default_factory=Policy)


class Queue(Part):
    """A queue. Amounts are cards: one number for the class ``card``, or {class: number}."""

    name: Name = Field(
        description="Path from the root: dept/team. Parents that are not listed are made without quota."
    )
    guaranteed: PerClass = Field(default=0, description="Lent when idle, taken back when needed.")
    reserved: PerClass = Field(default=0, description="The part of it that is never lent.")
    limit: PerClass | None = Field(default=None, description="Never more than this.")
    weight: int | dict[str, int] = Field(default=1, description="Claim on what is left. 0 = none.")
    priority: int = 0
    created: int | None = Field(
        default=None, description="Age: the lower is the older. Default: order in the list."
    )
    strict: bool = Field(default=False, description="First in, first out.")
    closed: bool = False
    min_runtime: int = Field(default=0, ge=0, description="Seconds that protect young jobs.")
    evictions_per_hour: int | None = Field(default=None, ge=0)
    usage: dict[str, int] = Field(default_factory=dict, description="Decayed use per class, any unit.")
    demand: Cards | None = Field(
        default=None, description="Shorthand: one-card jobs (and one part-card job) that wait here."
    )


class Alternative(Part):
    """One way to be served; what is left out matches everything."""

    model: str = ""
    device_class: str = ""
    labels: dict[str, str] = Field(default_factory=dict)
    memory_mib: int | None = None


class Topology(Part):
    """Keep tasks in one domain."""

    level: str
    required: bool = False
    chunk: int = Field(default=0, ge=0, description="So many consecutive ranks in one domain; 0 = all.")


class Link(Part):
    """How the cards of one task are connected."""

    kind: Literal["nvlink", "pcie", "any"] = "nvlink"
    required: bool = False


class Shape(Part):
    """What a task asks: whole cards by ``size`` 1, 2, ...; part of a card by ``size`` below 1, or by cores and memory."""

    size: Cards = Field(
        default=1, description="Cards per task: 2 = two whole cards, 0.5 = half of one, 0 = none."
    )
    cores: int | None = Field(default=None, ge=1, le=100, description="Percent of one card; instead of size.")
    memory_mib: int | None = Field(default=None, ge=1, description="Of one card; instead of size.")
    cpu: float = Field(default=0, ge=0, description="CPU cores of the node.")
    host_memory_gib: float = Field(default=0, ge=0)
    any_of: list[Alternative] = Field(
        default_factory=list, description="Alternatives in order of preference."
    )
    isolation: Literal["fixed", "dynamic", "hard"] = "fixed"
    partition: str = Field(default="", description="Template name, with isolation hard.")
    link: Link | None = None
    spread_cards: bool = Field(default=False, description="Two tasks of the group never share a card.")
    spread_nodes: bool = False


class Group(Shape):
    """A role of a job with several."""

    name: Name = "main"
    tasks: int = Field(default=1, ge=1)
    min: int | None = Field(
        default=None, ge=0, description="Tasks that must run; the others are extras. Default: all."
    )
    topology: Topology | None = None


class Job(Shape):
    """A job. Shorthand: a number is its size."""

    name: Name = ""
    queue: str = Field(
        default="", description="Not needed inside a mapping by queue, or where there is one queue."
    )
    priority: int = 0
    tasks: int = Field(default=1, ge=1, description="A gang of so many tasks.")
    min: int | None = Field(
        default=None, ge=0, description="Elastic: so many must run, the others are extras."
    )
    groups: list[Group] = Field(default_factory=list, description="Instead of one shape: several roles.")
    preemptible: bool = True
    may_evict: bool = True
    movable: bool = False
    checkpoints: bool = False
    max_runtime: int | None = Field(default=None, ge=1, description="Seconds.")
    topology: Topology | None = Field(default=None, description="For the whole gang.")
    submitted: int | None = Field(
        default=None, description="Seconds before now. Default: in the order of the list."
    )
    age: int | None = Field(
        default=1000,
        ge=0,
        description="Running jobs: seconds since the start; null = unknown, counts as old.",
    )
    saved: int | None = Field(
        default=None, ge=0, description="Running jobs: seconds since the last checkpoint."
    )
    evicted: list[int] = Field(default_factory=list, description="Running jobs: seconds since each loss.")
    at: list[str] = Field(
        default_factory=list,
        description="Running jobs: NODE/CARD for each card, or NODE for each task. Default: first fit.",
    )
    stopping: bool = Field(default=False, description="Running jobs: told to stop already.")
    running: int | None = Field(
        default=None, ge=0, description="Running jobs: only so many of its tasks run."
    )

    @model_validator(mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return {"size": value}
        return value


def _jobs(value: Any) -> Any:
    """``{queue: [jobs]}`` as a flat list."""
    if isinstance(value, dict):
        flat = []
        for queue, jobs in value.items():
            flat += [
                {**(job if isinstance(job, dict) else {"size": job}), "queue": queue}
                for job in (jobs if isinstance(jobs, list) else [jobs])
            ]
        return flat
    return value


Jobs = Annotated[list[Job], BeforeValidator(_jobs)]


class Place(Part):
    """Where the tasks of a job are, in rank order."""

    nodes: list[str] | None = Field(default=None, description="The set of nodes.")
    cards: list[str] | None = Field(default=None, description="The set of cards, NODE/CARD.")
    domains: dict[str, dict[str, int]] | None = Field(
        default=None, description="Tasks per domain of a level: {rack: {r1: 1, r2: 3}}."
    )
    one: str | None = Field(default=None, description="All in one domain of this level (node is a level).")
    apart: bool | None = Field(default=None, description="No two tasks on one card.")


class Waiting(Part):
    """Why a job waits."""

    code: str = Field(description="Reason code of the headline, or of a part of its evidence.")
    params: dict[str, Any] = Field(default_factory=dict, description="Parameters that it has at least.")


def _waiting(value: Any) -> Any:
    return {"code": value} if isinstance(value, str) else value


def _waits(value: Any) -> Any:
    return dict.fromkeys(value) if isinstance(value, list) else value


class Expect(Part):
    """What is checked; what is left out is not. Evictions and starts are those of the whole step."""

    nothing: bool | None = Field(default=None, description="True: nobody is evicted, moved or started.")
    evicted: list[str] | None = Field(default=None, description="Exactly these jobs lose everything.")
    evicted_one_of: list[list[str]] | None = Field(default=None, description="Exactly one of these sets.")
    evictions: int | None = Field(default=None, description="How many jobs lose everything.")
    shrunk: dict[str, int] | None = Field(default=None, description="Exactly these jobs lose so many extras.")
    moved: list[str] | None = Field(default=None, description="Exactly these jobs change places.")
    moves: int | None = Field(default=None, description="How many jobs change places.")
    started: list[str] | None = Field(default=None, description="Exactly these jobs start.")
    order: list[str] | None = Field(default=None, description="These jobs start in this order.")
    running: list[str] | None = Field(default=None, description="At least these jobs run at the end.")
    tasks: dict[str, int] = Field(
        default_factory=dict, description="How many tasks of a job, or of JOB/GROUP, run at the end."
    )
    counts: dict[str, int] = Field(
        default_factory=dict, description="How many jobs of a queue run at the end."
    )
    waiting: Annotated[
        dict[str, Annotated[Waiting, BeforeValidator(_waiting)] | None], BeforeValidator(_waits)
    ] = Field(default_factory=dict, description="These jobs wait at the end: names, or {name: CODE}.")
    rules: dict[str, str] = Field(
        default_factory=dict,
        description="Under which rule a job lost: priority, extra, share, guarantee, move, guest.",
    )
    places: dict[str, Place] = Field(default_factory=dict, description="Where jobs run at the end.")
    share: dict[str, float] = Field(
        default_factory=dict, description="Fair share in cards before anything happens: {queue: 2}."
    )
    unassigned: float | None = Field(default=None, description="Cards that no root queue has in its share.")
    positions: dict[str, int] = Field(default_factory=dict, description="Place in line, 1 = first.")
    reserved: dict[str, int | None] = Field(
        default_factory=dict,
        description="Jobs with a reservation, and in how many seconds it starts (null = unknown).",
    )


class Step(Part):
    """What happens next. Everything in ``after`` seconds, in the order of these fields; then the pool decides."""

    after: int = Field(default=1, ge=0, description="Seconds since the step before.")
    end: list[str] = Field(default_factory=list, description="Jobs that finish.")
    cancel: list[str] = Field(default_factory=list, description="Jobs that are withdrawn.")
    fail_nodes: list[str] = Field(default_factory=list, description="Nodes that die, with the tasks on them.")
    cordon: list[str] = Field(default_factory=list, description="Nodes that take nothing more.")
    quota: list[Queue] = Field(default_factory=list, description="Queues as they are from now on.")
    submit: Jobs = Field(default_factory=list)
    expect: Expect = Field(default_factory=Expect)


class Case(Part):
    """One small world. ``why``, ``note``, ``origin``, ``confidence`` and ``policy`` are for people."""

    id: Name
    title: str = ""
    why: str = ""
    note: str = ""
    origin: str = ""
    confidence: str = ""
    policy: str = ""
    pool: Annotated[Pool, BeforeValidator(_nodes)] = Field(description="The cards.")
    queues: list[Queue] = Field(default_factory=list, description="Default: one queue q without limits.")
    running: Jobs = Field(default_factory=list, description="A list of jobs, or {queue: [jobs]}.")
    pending: Jobs = Field(default_factory=list, description="A list of jobs, or {queue: [jobs]}.")
    victims_stay: bool = Field(
        default=False, description="True: what is told to stop is gone only at the next step; else at once."
    )
    cycles: int = Field(
        default=8,
        ge=1,
        le=1000,
        description="Cycles in which a step must come to rest; 1 = only the first is looked at.",
    )
    expect: Expect = Field(
        default_factory=Expect, description="Of the first step, with nothing happening before it."
    )
    steps: list[Step] = Field(
        default_factory=list, description="What happens next, each with what to expect."
    )
