"""What a job asks for, as people read it: before anything is placed the true charge is not known, so this is an estimate."""

from __future__ import annotations

from vast.common.sentences import say
from vast.jobs.document import Group, JobDocument
from vast.vendors.registry import find_model, vendors

ANY = "any"
# The size that an unnamed device is reckoned with when memory is asked in MiB.
USUAL_MEMORY_MIB = 81_920


def asked_charge(document: JobDocument) -> dict[str, int]:
    """Milli-cards by device class, by each group's first alternative."""
    asked: dict[str, int] = {}
    for group in document.groups:
        if group.request.devices:
            device_class, memory_mib = _first_choice(group)
            amount = group.replicas * group.request.devices * _charge(group, memory_mib)
            asked[device_class] = asked.get(device_class, 0) + amount
    return asked


def _first_choice(group: Group) -> tuple[str, int]:
    choice = group.request.selector[0] if group.request.selector else None
    if choice is None:
        return ANY, USUAL_MEMORY_MIB
    models = [
        model
        for vendor in vendors().values()
        for model in vendor.models
        if (choice.vendor in (None, vendor.key))
        and choice.model in (None, model.name)
        and choice.device_class in (None, model.device_class)
    ]
    if choice.vendor and choice.model and (found := find_model(choice.vendor, choice.model)):
        models = [found]
    classes = {model.device_class for model in models}
    memory = models[0].memory_mib if models else USUAL_MEMORY_MIB
    return (classes.pop() if len(classes) == 1 else choice.device_class or ANY), memory


def _charge(group: Group, device_memory_mib: int) -> int:
    request = group.request
    if request.exclusive:
        return 1000
    override = request.selector[0].memory_mib if request.selector else None
    memory = override or request.memory_mib
    by_memory = (request.memory_percent or 0) * 10 if memory is None else memory * 1000 // device_memory_mib
    return max(1, min(1000, max((request.cores or 0) * 10, by_memory)))


def as_text(document: dict[str, object]) -> str:
    """One line such as ``8 × (25 %, 4096 MiB)``, in the reader's language."""
    return " + ".join(_group_text(group) for group in document["groups"])  # type: ignore[attr-defined]


def _group_text(group: dict[str, dict[str, object]]) -> str:
    request = group["request"]
    devices, replicas = request["devices"], group["replicas"]
    if not devices:
        each = str(say("requested.cpu", millis=request["cpu_millis"]))
    elif request["exclusive"]:
        each = str(say("requested.card" if devices == 1 else "requested.cards", count=devices))
    else:
        override = request["selector"][0]["memory_mib"] if request["selector"] else None  # type: ignore[index]
        memory = override or request["memory_mib"]
        parts = [f"{request['cores']} %"] if request["cores"] else []
        parts += (
            [f"{memory} MiB"]
            if memory
            else [str(say("requested.memory_percent", percent=request["memory_percent"]))]
            if request["memory_percent"]
            else []
        )
        each = f"({', '.join(parts)})" if devices == 1 else f"{devices} × ({', '.join(parts)})"
    return each if replicas == 1 else f"{replicas} × {each}"
