"""How much searching one pool may do in one cycle: counted in steps, never in seconds, so that a replay
agrees."""

from __future__ import annotations


class BudgetExhausted(Exception):
    """The search was cut short; it proves nothing about the job that it was looking at."""


class Budget:
    """A purse of search steps. One step = one column (the devices of one model on one node) scored, or one
    placement examined."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    @property
    def exhausted(self) -> bool:
        return self.left <= 0

    def spend(self, steps: int) -> None:
        """Take steps; raises BudgetExhausted when nothing was left before."""
        if self.left <= 0:
            raise BudgetExhausted
        self.left -= steps
