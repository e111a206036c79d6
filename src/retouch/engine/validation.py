"""A view of issues with the fields that the seeds give to the result of a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.core import Issue


@dataclass(frozen=True)
class ValidationResult:
    """What a check found; `error_...` speak of the first error, of the earliest tier that failed."""

    issues: Sequence[Issue] = ()

    @property
    def errors(self) -> list[Issue]:
        """The issues that must be mended, in order."""
        return [issue for issue in self.issues if issue.severity == "error"]

    @property
    def warnings(self) -> list[Issue]:
        """The issues that should be looked at."""
        return [issue for issue in self.issues if issue.severity == "warning"]

    @property
    def has_errors(self) -> bool:
        """Whether anything must be mended."""
        return bool(self.errors)

    @property
    def valid(self) -> bool:
        """Whether nothing must be mended."""
        return not self.errors

    @property
    def tier(self) -> int:
        """The tier that failed, 3 when none did."""
        return min((int(issue.tier) for issue in self.errors), default=3)

    @property
    def error_type(self) -> str | None:
        """The code of the first error."""
        return self._first.code if self._first is not None else None

    @property
    def error_message(self) -> str | None:
        """The message of the first error."""
        return self._first.message if self._first is not None else None

    @property
    def error_line(self) -> int | None:
        """The line of the first error, from 1."""
        return self._first.line if self._first is not None else None

    @property
    def _first(self) -> Issue | None:
        return min(self.errors, key=lambda issue: issue.tier, default=None)
