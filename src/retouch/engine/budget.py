"""How often a unit may be asked again."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class RetryBudget:
    """What is left for one unit: retries per tier and in all.

    The fields and defaults are those of the rule seed; the value is frozen, so paying returns a new one.
    """

    tier1_remaining: int = 2
    tier2_remaining: int = 2
    tier3_remaining: int = 1
    total_remaining: int = 3

    def can_retry(self, tier: int) -> bool:
        """Return whether one more retry after a failure in `tier` (1, 2 or 3) is left; False for any other tier."""
        return self.total_remaining > 0 and self._of(tier) > 0

    def consume(self, tier: int) -> RetryBudget:
        """Return the budget after one retry for `tier`: one less for the tier and one less in all.

        Raises:
            ValueError: nothing is left for `tier`; ask `can_retry` first.
        """
        if not self.can_retry(tier):
            raise ValueError(f"no retry left for tier {tier!r} in {self}; ask can_retry first")
        spent = {f"tier{int(tier)}_remaining": self._of(tier) - 1}
        return replace(self, total_remaining=self.total_remaining - 1, **spent)

    def _of(self, tier: int) -> int:
        return {1: self.tier1_remaining, 2: self.tier2_remaining, 3: self.tier3_remaining}.get(int(tier), 0)
