"""The job document: what a user writes, checked.

This is the only definition of the document; the API, its schema, the reference in ``docs/`` and the form in the console
come from it. Unknown fields are refused, so that a typing error never silently means something else.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from vast.common.errors import FieldError, Invalid
from vast.common.sentences import Wrong, say
from vast.jobs.wording import field_errors
from vast.vendors.sharing import Policy

PRIORITY_CLASSES = {"low": -100, "normal": 0, "high": 100}
MAX_REPLICAS = 4096
MAX_TASKS = 10_000
RESERVED_VARIABLES = re.compile(
    r"^(RANK|WORLD_SIZE|LOCAL_RANK|LOCAL_WORLD_SIZE|NODE_RANK|GROUP_RANK|NNODES|MASTER_ADDR|MASTER_PORT|VAST_.*"
    r"|.*VISIBLE_DEVICES|CUDA_DEVICE_(MEMORY|SM)_LIMIT.*|CUDA_DISABLE_CONTROL|HIP_DEVICE_MEMORY_LIMIT|NPU_MEM_QUOTA|LD_PRELOAD|LD_AUDIT"
    r"|GPU_CORE_UTILIZATION_POLICY|CUDA_TASK_PRIORITY|CUDA_OVERSUBSCRIBE|ASCEND_VNPU_SPECS|NPU_PRIORITY|HSA_CU_MASK)$"
)
_DURATION = re.compile(r"([0-9]{1,9})\s*(s|m|h|d)?")
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, None: 1}


def _seconds(value: Any) -> Any:
    if isinstance(value, str):
        match = _DURATION.fullmatch(value.strip())
        if not match:
            raise Wrong(say("document.duration"))
        return int(match[1]) * _UNIT_SECONDS[match[2]]
    return value


def _priority(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if _WHOLE_NUMBER.fullmatch(value):
        return int(value)
    if value not in PRIORITY_CLASSES:
        raise Wrong(say("document.priority", classes=", ".join(PRIORITY_CLASSES)))
    return PRIORITY_CLASSES[value]


def _free_variable(name: str) -> str:
    if RESERVED_VARIABLES.match(name):
        raise Wrong(say("document.reserved_variable", name=name))
    return name


Seconds = Annotated[int, BeforeValidator(_seconds)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$", min_length=1, max_length=63)]
LabelKey = Annotated[
    str, Field(min_length=1, max_length=63, pattern=r"^[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?$")
]
LabelValue = Annotated[str, Field(max_length=63)]
VariableName = Annotated[
    str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=128), AfterValidator(_free_variable)
]
VariableValue = Annotated[
    str,
    BeforeValidator(lambda v: str(v) if isinstance(v, int | float) and not isinstance(v, bool) else v),
    Field(max_length=32_768, pattern=r"^[^\x00]*$"),
]
Argument = Annotated[str, Field(max_length=131_072, pattern=r"^[^\x00]*$")]
Strategy = Literal["pack", "spread"]
Isolation = Literal["fixed", "dynamic", "hard"]


class Part(BaseModel):
    """Base of every part of the document: unknown fields are errors, and nothing is guessed from another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Selector(Part):
    """One way to satisfy the request; empty fields match everything. The first that fits is taken."""

    vendor: str | None = Field(
        default=None, max_length=32, description="Vendor key, such as nvidia or ascend."
    )
    model: str | None = Field(
        default=None, max_length=80, description="Device model, as `vast device list` shows it."
    )
    device_class: str | None = Field(
        default=None, max_length=63, description="Device class: models that count as the same for quota."
    )
    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="Labels the node must carry."
    )
    memory_mib: int | None = Field(
        default=None,
        ge=1,
        le=16_777_216,
        description="Memory of each device for this alternative, instead of the request's.",
    )


class Link(Part):
    """How the devices of one task are to be connected with each other."""

    kind: Literal["nvlink", "pcie", "any"] = Field(
        default="nvlink",
        description="nvlink = the vendor's own fabric (NVLink, HCCS, MLU-Link ...), pcie = one NUMA node, any = no matter.",
    )
    required: bool = Field(default=False, description="Wait for such devices rather than do without.")


class TopologyRule(Part):
    """Keeps tasks near each other in the network."""

    level: str = Field(
        min_length=1,
        max_length=32,
        description="A topology level of the pool, such as rack or leaf; node is always there.",
    )
    required: bool = Field(
        default=False, description="Wait for one domain that holds all, rather than widen level by level."
    )
    chunk: int | None = Field(
        default=None,
        ge=1,
        le=MAX_REPLICAS,
        description="Every so many consecutive ranks inside one domain, instead of all of them.",
    )


class Checkpoint(Part):
    """How a task tells that it has saved its work, so that stopping it loses little."""

    interval: Seconds | None = Field(
        default=None, ge=1, le=31_536_000, description="It saves by itself this often."
    )
    api: bool = Field(default=False, description="It calls POST /api/v1/jobs/<id>/checkpoint/ after saving.")


class Request(Part):
    """What each task of the group gets."""

    devices: int = Field(
        default=1, ge=0, le=64, description="Devices per task, all on one node; 0 = CPU only."
    )
    cores: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="Percent of each device's compute. Absent with memory given: no reservation (best effort).",
    )
    memory_mib: int | None = Field(
        default=None, ge=1, le=16_777_216, description="Memory of each device, MiB."
    )
    memory_percent: int | None = Field(
        default=None, ge=1, le=100, description="Memory of each device, percent of its size."
    )
    exclusive: bool | None = Field(
        default=None,
        description="Whole devices, nobody else on them. Default: true when neither cores nor memory is given.",
    )
    selector: list[Selector] = Field(
        default_factory=list,
        max_length=16,
        description="Alternatives in order of preference; empty = any device.",
    )
    cpu_millis: int = Field(
        default=0, ge=0, le=1_024_000, description="CPU of the node, thousandths of a core."
    )
    host_memory_mib: int = Field(default=0, ge=0, le=67_108_864, description="Memory of the node, MiB.")
    isolation: Isolation = Field(
        default="fixed",
        description="fixed = static caps; dynamic = may be resized while it runs; hard = a partition in hardware.",
    )
    partition: str | None = Field(
        default=None,
        max_length=40,
        description="With isolation hard: this partition template and no other, such as 3g.40gb.",
    )
    sharing: Policy | None = Field(
        default=None,
        description="What happens to compute on a shared device when all want it: best-effort = nothing is promised (the "
        "default without cores); fixed-ratio = cores and never more (the default with cores); guaranteed-minimum = cores "
        "when wanted, more when idle; priority-preemption = the job of higher priority first, others get what it leaves.",
    )
    link: Link | None = Field(default=None, description="How the task's devices are connected.")

    @model_validator(mode="after")
    def _consistent(self) -> Request:
        if self.partition is not None and self.isolation != "hard":
            raise Wrong(say("document.partition_hard"))
        if self.memory_mib is not None and self.memory_percent is not None:
            raise Wrong(say("document.memory_twice"))
        sliced = any(value is not None for value in (self.cores, self.memory_mib, self.memory_percent))
        sliced = sliced or self.partition is not None
        sliced = sliced or any(choice.memory_mib is not None for choice in self.selector)
        if self.exclusive is None:
            self.exclusive = not sliced
        if self.exclusive and sliced:
            raise Wrong(say("document.exclusive_slice"))
        if not self.exclusive and not sliced:
            raise Wrong(say("document.empty_slice"))
        self._settle_sharing()
        return self

    def _settle_sharing(self) -> None:
        """A share that is promised needs ``cores`` that say how large it is; what is cut in hardware has its own."""
        own_compute = self.exclusive or self.isolation == "hard" or not self.devices
        if self.sharing is None:
            self.sharing = "fixed-ratio" if own_compute or self.cores is not None else "best-effort"
        elif own_compute and self.sharing != "fixed-ratio":
            raise Wrong(say("document.sharing_own", sharing=self.sharing))
        elif self.sharing == "best-effort" and self.cores is not None:
            raise Wrong(say("document.sharing_best_effort"))
        elif self.sharing in ("fixed-ratio", "guaranteed-minimum") and self.cores is None and not own_compute:
            raise Wrong(say("document.sharing_cores", sharing=self.sharing))


class Simulation(Part):
    """Stands in for a command on simulated nodes: the task is busy for a while and ends. No process is started."""

    seconds: int = Field(default=30, ge=0, le=31_536_000, description="How long the task runs.")
    load_percent: int = Field(default=80, ge=0, le=100, description="Load on its share of the device.")
    exit_code: int = Field(default=0, ge=0, le=255)


class StrategyPair(Part):
    """Whether tasks of the group prefer to sit together or apart."""

    node: Strategy = Field(default="pack", description="Over nodes: a wish.")
    device: Strategy = Field(
        default="pack",
        description="Over devices; spread is a rule: two tasks of the group never share a card.",
    )


class Group(Part):
    """Replicas of one shape (a role: master, worker, ...)."""

    name: Name = Field(default="main", description="Unique in the job.")
    replicas: int = Field(default=1, ge=1, le=MAX_REPLICAS, description="How many tasks.")
    min_replicas: int | None = Field(
        default=None,
        ge=0,
        le=MAX_REPLICAS,
        description="How many must run; the others are extras, given when there is room, taken back first. Default: all.",
    )
    topology: TopologyRule | None = Field(default=None, description="Where the tasks of this group go.")
    command: list[Argument] | Argument | None = Field(
        default=None, description="Program and arguments, or one string for /bin/sh -c."
    )
    env: dict[VariableName, VariableValue] = Field(
        default_factory=dict,
        description="Environment variables. Those that VAST sets (RANK, VAST_*, visible devices, limits) cannot be given.",
    )
    working_dir: str | None = Field(
        default=None,
        max_length=4096,
        pattern=r"^/[^\x00]*$",
        description="Folder on the node; default: a fresh one per task.",
    )
    simulate: Simulation | None = Field(
        default=None, description="Instead of a command; simulated nodes only."
    )
    request: Request = Field(default_factory=Request)
    strategy: StrategyPair = Field(default_factory=StrategyPair)

    @model_validator(mode="after")
    def _runnable(self) -> Group:
        if self.min_replicas is not None and self.min_replicas > self.replicas:
            raise Wrong(say("document.min_replicas", replicas=self.replicas))
        if (self.command is None) == (self.simulate is None):
            raise Wrong(say("document.command_or_simulate"))
        if self.command is not None and not (
            self.command and (isinstance(self.command, str) or self.command[0])
        ):
            raise Wrong(say("document.command_empty"))
        return self

    @property
    def minimum(self) -> int:
        """How many tasks belong to the gang."""
        return self.replicas if self.min_replicas is None else self.min_replicas


class JobDocument(Part):
    """A job: task groups that start together or not at all, in one queue."""

    name: Name = Field(description="Lower case letters, digits, dots and hyphens; at most 63.")
    queue: str = Field(
        min_length=1, max_length=255, description="Path of a leaf queue, such as demo/research."
    )
    priority: Annotated[int, BeforeValidator(_priority)] = Field(
        default=0,
        ge=-1000,
        le=1000,
        description="Higher goes first in its queue. Also low (-100), normal (0), high (100).",
    )
    array: int = Field(default=1, ge=1, le=MAX_TASKS, description="Submit this many jobs of the same shape.")
    held: bool = Field(default=False, description="Wait until released by hand.")
    max_runtime: Seconds | None = Field(
        default=None,
        ge=1,
        le=31_536_000,
        description="Each task is stopped, and the job fails, after this many seconds (or 90s, 30m, 2h, 1d).",
    )
    preemptible: bool = Field(
        default=True, description="May be stopped for others. If not, it must fit its queue's guarantee."
    )
    may_evict: bool = Field(default=True, description="May stop others where the rules allow it.")
    movable: bool = Field(default=False, description="May be restarted elsewhere without loss.")
    checkpoint: Checkpoint | None = Field(default=None, description="How it saves its work.")
    topology: TopologyRule | None = Field(default=None, description="Where the whole gang goes.")
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict, max_length=64)
    groups: list[Group] = Field(
        min_length=1, max_length=64, description="The task groups; together they are one gang."
    )

    @model_validator(mode="after")
    def _whole(self) -> JobDocument:
        names = [group.name for group in self.groups]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise Wrong(say("document.group_names", names=", ".join(twice)))
        if self.movable and not self.preemptible:
            raise Wrong(say("document.movable"))
        if not any(group.minimum for group in self.groups):
            raise Wrong(say("document.no_minimum"))
        if self.tasks_total * self.array > MAX_TASKS:
            asked = self.tasks_total * self.array
            raise Wrong(say("document.most_tasks", most=MAX_TASKS, asked=asked))
        return self

    @property
    def tasks_total(self) -> int:
        return sum(group.replicas for group in self.groups)


def parse(data: Any) -> JobDocument:
    """The checked document. Raises Invalid with one error per field."""
    if not isinstance(data, dict):
        raise Invalid(
            say("document.mapping"),
            errors=[FieldError("", "type", say("document.not_a_mapping", found=type(data).__name__))],
        )
    try:
        return JobDocument.model_validate(data)
    except ValidationError as error:
        raise Invalid(say("document.invalid"), errors=field_errors(error, JobDocument)) from error
