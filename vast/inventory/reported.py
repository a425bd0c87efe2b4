"""What an agent tells of its machine, checked: one node's nonsense must not reach the lists and the engine of all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from vast.common.errors import FieldError, Invalid, field_path

MOST = 2**31 - 1
MOST_SMALL = 2**15 - 1

# PostgreSQL takes no NUL in text.
_PLAIN = r"^[^\x00]*$"
Text24 = Annotated[str, Field(max_length=24, pattern=_PLAIN)]
Text32 = Annotated[str, Field(max_length=32, pattern=_PLAIN)]
Text63 = Annotated[str, Field(max_length=63, pattern=_PLAIN)]
Text64 = Annotated[str, Field(max_length=64, pattern=_PLAIN)]
Text120 = Annotated[str, Field(max_length=120, pattern=_PLAIN)]
Text255 = Annotated[str, Field(max_length=255, pattern=_PLAIN)]
Amount = Annotated[int, Field(ge=0, le=MOST)]
Words = Annotated[dict[Text63, Text255], Field(max_length=256)]


class _Part(BaseModel):
    """Fields that this version does not know are left out: an agent may be newer than its server."""

    model_config = ConfigDict(extra="ignore", strict=True)


class ReportedDevice(_Part):
    uuid: Annotated[str, Field(min_length=1, max_length=120, pattern=_PLAIN)]
    index: int = Field(ge=0, le=MOST_SMALL)
    vendor: Text32
    model: Annotated[str, Field(min_length=1, max_length=80, pattern=_PLAIN)]
    memory_mib: Amount
    max_slices: int = Field(default=1, ge=1, le=MOST_SMALL)
    numa: int = Field(default=0, ge=-1, le=MOST_SMALL)
    bus_id: Text32 = ""
    link_group: Text64 = ""
    # A missing verdict is not good health.
    health: Literal["healthy", "unhealthy", "unknown"] = "unknown"


class ReportedLink(_Part):
    a: Text120
    b: Text120
    kind: Text24
    bandwidth_gbps: Amount = 0


class Reported(_Part):
    """The body of the protocol's inventory message. Fields of the node that are not told stay as they are."""

    address: Text255 = ""
    cpu_millis: Amount = 0
    memory_mib: Amount = 0
    task_slots: Amount = 0
    simulated: bool = False
    labels: Words = Field(default_factory=dict)
    location: Words = Field(default_factory=dict)
    levels: list[Text32] = Field(default_factory=list, max_length=16)
    devices: list[ReportedDevice] = Field(default_factory=list, max_length=1024)
    links: list[ReportedLink] = Field(default_factory=list, max_length=65_536)

    @model_validator(mode="after")
    def _once(self) -> Reported:
        _all_differ("levels", self.levels)
        _all_differ("devices", (device.uuid for device in self.devices))
        _all_differ("links", ((link.a, link.b) for link in self.links))
        return self


def _all_differ(what: str, items: Iterable[Hashable]) -> None:
    seen: set[Hashable] = set()
    for item in items:
        if item in seen:
            raise ValueError(f"{what}: {item} is there twice")
        seen.add(item)


def parse_inventory(inventory: Mapping[str, Any]) -> Reported:
    """Raises Invalid with one error per field."""
    try:
        return Reported.model_validate(inventory)
    except ValidationError as error:
        errors = [FieldError(field_path(item["loc"]), item["type"], item["msg"]) for item in error.errors()]
        first = errors[0]
        raise Invalid(f"The inventory is not valid: {first.field}: {first.detail}", errors=errors) from error
