"""A job over a few paths, and rounds over it with models that say what a test wrote."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from retouch.engine.types import Issue, Tier
from retouch.recipes.rule import RuleJob, ValidationResult, rounds
from retouch.recipes.rule.asking.source import checked
from retouch.testing import scripted

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.rule.rounds import Moment, RoundResult

PATHS = tuple(f"/srv/data/mission_{number:03}/2024-01-{number + 1:02}/r{number}_x.csv" for number in range(1, 13))
BROKEN = "```yaml\nname: x\nglob: '**/mission_*/*/*.csv'\nextract:\n  mission\n    from: segment(-3)\n```"
UNKNOWN_SOURCE = "```yaml\nname: x\nglob: '**/mission_*/*/*.csv'\nextract:\n  mission:\n    from: folder(-3)\n```"
NO_MATCH = "```yaml\nname: x\nglob: '**/flight_*/*.csv'\nextract:\n  mission:\n    from: segment(-3)\n```"
RIGHT = "```yaml\nname: x\nglob: '**/mission_*/*/*.csv'\nextract:\n  mission:\n    from: segment(-3)\n```"
FUNCTION = "```python\ndef extract(path: str) -> dict:\n    return {'mission': path.split('/')[3]}\n```"


FAILING = {1: BROKEN, 2: UNKNOWN_SOURCE, 3: NO_MATCH}  # by the tier that they fail


def other(answer: str, number: int) -> str:
    """Return the same answer in other words, so that it is no repetition."""
    return answer.replace("name: x", f"name: x{number}").replace("```python\n", f"```python\n# {number}\n")


def failing(*tiers: int) -> list[str]:
    """Return answers that fail in these tiers, each in other words."""
    return [other(FAILING[tier], number) for number, tier in enumerate(tiers)]


def result(tier: int, code: str = "X", message: str = "wrong", line: int | None = None) -> ValidationResult:
    """Return what one failure in a tier looks like."""
    return ValidationResult([Issue(code=code, message=message, tier=Tier(tier), unit="rule", line=line)])


def job(*paths: str, **said: Any) -> RuleJob:
    """Return a job over `paths`, by default twelve of one kind."""
    return checked(RuleJob(paths=paths or PATHS, **said))


class Scene:
    """A run directory, and the rounds in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "run"
        self.moments: list[Moment] = []
        self.model = scripted([])

    def begin(self, *answers: Any, of: RuleJob | None = None, **more: Any) -> RoundResult:
        """Go through a new round."""
        self.model = scripted(list(answers))
        return self._ended(rounds.begin(of or job(), self.folder, self.model, on_moment=self.moments.append, **more))

    def again(self, *answers: Any, rejected: bool = False) -> RoundResult:
        """Go through a fresh round."""
        self.model = scripted(list(answers))
        return self._ended(rounds.again(self.folder, self.model, rejected=rejected))

    def hint(self, said: str, *answers: Any) -> RoundResult:
        """Go through a round that a hint begins."""
        self.model = scripted(list(answers))
        return self._ended(rounds.hint(self.folder, self.model, said))

    def yaml_only(self, *answers: Any) -> RoundResult:
        """Go through a round that wants no Python any more."""
        self.model = scripted(list(answers))
        return self._ended(rounds.yaml_only(self.folder, self.model))

    def edit(self, text: str) -> RoundResult:
        """Take a person's text."""
        return self._ended(rounds.take_edit(self.folder, text))

    def asked(self, call: int) -> str:
        """Return the last turn of a request."""
        return self.model.requests[call].messages[-1].text

    @property
    def messages(self) -> list[str]:
        """What was shown whenever something was asked."""
        return [one.message for one in self.moments if one.progress.kind in {"asked", "repairing"}]

    @staticmethod
    def _ended(work: Any) -> RoundResult:
        return asyncio.run(work)


def codes(issues: Any, severity: str | None = None) -> list[str]:
    """Return the codes of issues, of one severity or of all."""
    found: list[Issue] = list(issues)
    return [one.code for one in found if severity in {None, one.severity}]
