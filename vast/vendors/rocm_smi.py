"""Finds and watches AMD GPUs through ``rocm-smi --json``. Links between them are not read yet."""

from __future__ import annotations

import json

from vast.vendors.base import DeviceReader, Found, FoundDevice, Reading, RunTool, ToolError
from vast.vendors.figures import needed, number, whole_number
from vast.vendors.machine import local_uuid

TOOL = "rocm-smi"
_COMMAND = [
    TOOL,
    "--showid",
    "--showuniqueid",
    "--showproductname",
    "--showbus",
    "--showmeminfo",
    "vram",
    "--showuse",
    "--showtemp",
    "--showpower",
    "--json",
]
_MIB = 1024 * 1024

Card = dict[str, str]


def discover(run: RunTool) -> Found:
    """The GPUs by card number."""
    return Found(
        tuple(
            FoundDevice(
                uuid=_uuid(index, card),
                index=index,
                model=_first(card, "card series", "card model", "device name") or "unknown",
                memory_mib=needed(_mib(card, "vram total memory (b)"), f"VRAM total of card {index}"),
                bus_id=_first(card, "pci bus"),
                health="healthy",
            )
            for index, card in _cards(run(_COMMAND)).items()
        )
    )


def telemetry(run: RunTool) -> tuple[Reading, ...]:
    """One reading per GPU; the temperature is the junction's where there is one."""
    return tuple(
        Reading(
            uuid=_uuid(index, card),
            util_pct=number(card.get("gpu use (%)")),
            memory_used_mib=_mib(card, "vram total used memory (b)"),
            temperature_c=number(
                _first(card, "temperature (sensor junction) (c)", "temperature (sensor edge) (c)")
            ),
            power_w=number(
                _first(
                    card,
                    "average graphics package power (w)",
                    "current socket graphics package power (w)",
                )
            ),
            health="healthy",
        )
        for index, card in _cards(run(_COMMAND)).items()
    )


def _cards(text: str) -> dict[int, Card]:
    """The cards by number, keys in lower case: their case changed between releases. Warnings may stand
    before.
    """
    start = text.find("{")
    if start < 0:
        raise ToolError(f"{TOOL} prints no JSON")
    try:
        document, _ = json.JSONDecoder().raw_decode(text, start)
    except ValueError as error:
        raise ToolError(f"{TOOL} prints broken JSON: {error}") from error
    return {
        int(name[4:]): {key.strip().lower(): str(value) for key, value in card.items()}
        for name, card in document.items()
        if name.startswith("card") and name[4:].isdigit()
    }


def _uuid(index: int, card: Card) -> str:
    unique = card.get("unique id", "").removeprefix("0x")
    # The form ROCR_VISIBLE_DEVICES takes.
    return f"GPU-{unique}" if unique and unique != "N/A" else local_uuid("GPU-", "amd", index)


def _first(card: Card, *keys: str) -> str:
    return next((card[key] for key in keys if card.get(key, "N/A") != "N/A"), "")


def _mib(card: Card, key: str) -> int | None:
    size = whole_number(card.get(key))
    return None if size is None else size // _MIB


READER = DeviceReader(TOOL, discover, telemetry)
