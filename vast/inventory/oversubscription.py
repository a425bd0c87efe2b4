"""How much more than its physical size may be promised of a device: the node's own ratio, else the model's, else the
pool's. Thousandths; 1000 = off."""

from __future__ import annotations

from dataclasses import dataclass

from vast.inventory.models import Device, DeviceModel, Node, Pool


@dataclass(frozen=True, slots=True)
class Ratios:
    """Over-subscription in force, in thousandths of the physical size."""

    cores: int
    memory: int

    def cores_of(self, percent: int) -> int:
        """Percent of one device that may be promised where ``percent`` is the physical size."""
        return percent * self.cores // 1000

    def memory_of(self, memory_mib: int) -> int:
        """MiB that may be promised of a device of this size."""
        return memory_mib * self.memory // 1000


def ratios(
    node: tuple[int | None, int | None], model: tuple[int | None, int | None], pool: tuple[int, int]
) -> Ratios:
    """The ratios in force; each argument is (cores, memory)."""
    return Ratios(node[0] or model[0] or pool[0], node[1] or model[1] or pool[1])


def own_ratios(row: Node | DeviceModel) -> tuple[int | None, int | None]:
    return row.cores_ratio, row.memory_ratio


def pool_ratios(pool: Pool) -> tuple[int, int]:
    return pool.cores_ratio, pool.memory_ratio


def ratios_of(device: Device) -> Ratios:
    """Those of one device, whose model, node and pool are loaded."""
    return ratios(own_ratios(device.node), own_ratios(device.model), pool_ratios(device.node.pool))
