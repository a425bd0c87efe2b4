"""The four sharing policies, and what each becomes at a vendor: what happens to compute on a device that several
slices want at once.

* ``best-effort``: nothing is promised; the slice gets what the others leave.
* ``fixed-ratio``: its share and never more, even when the rest is idle.
* ``guaranteed-minimum``: its share whenever it wants it, and more when the rest is idle.
* ``priority-preemption``: the job of higher priority first; the others get what it leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, get_args

Policy = Literal["best-effort", "fixed-ratio", "guaranteed-minimum", "priority-preemption"]
POLICIES: tuple[Policy, ...] = get_args(Policy)

HIGH, LOW = "0", "1"


class Why(StrEnum):
    """Why a vendor cannot keep a policy. The sentences are in the catalogues, under ``sharing.``"""

    FIXED_CUT = "fixed_cut"
    NO_PRIORITY = "no_priority"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Means:
    """How a vendor keeps a policy: one sentence, and what it takes.

    ``variables`` go into the environment of the task. Vendors know two levels of priority at most:
    ``priority_variable`` is HIGH for a job of a priority above 0. ``annotations`` are for a Pod under HAMi.
    """

    how: str
    variables: Mapping[str, str] = field(default_factory=dict)
    priority_variable: str = ""
    annotations: Mapping[str, str] = field(default_factory=dict)

    def environment(self, priority: int) -> dict[str, str]:
        """The variables for a job of this priority."""
        found = dict(self.variables)
        if self.priority_variable:
            found[self.priority_variable] = HIGH if priority > 0 else LOW
        return found


Sharing = Mapping[str, Means | Why]

# A cut that nothing can lend: the share is the most and the least at once.
FIXED_CUTS: Sharing = {
    "best-effort": Means("no limit of compute is set"),
    "fixed-ratio": Means("the cut is the limit"),
    "guaranteed-minimum": Why.FIXED_CUT,
    "priority-preemption": Why.NO_PRIORITY,
}


def means(sharing: Sharing, policy: str) -> Means | None:
    """How the policy is kept; None where it is not."""
    found = sharing.get(policy)
    return found if isinstance(found, Means) else None


def refusal(sharing: Sharing, policy: str) -> Why | None:
    """Why slices cannot have the policy; None where they can."""
    found = sharing.get(policy, Why.UNKNOWN)
    return found if isinstance(found, Why) else None


def kept(sharing: Sharing) -> tuple[str, ...]:
    """The policies that slices can have."""
    return tuple(policy for policy in POLICIES if means(sharing, policy) is not None)


# What a request must be told of when nothing fits it: the other policies are kept by every vendor.
SELDOM_KEPT = tuple(policy for policy in POLICIES if policy not in kept(FIXED_CUTS))
