"""A view of issues with the fields that the specifications give to the result of a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.types import Issue


@dataclass(frozen=True)
class ValidationResult:
    """The result of a check. The `error_...` properties describe the first error of the earliest failed tier.

    `raw_output` is the checked text, `parsed` is the result of tier 1, `validated` of tier 2, and `preview` the input
    of tier 3. Each is None if the recipe does not provide it.
    """

    issues: Sequence[Issue] = ()
    raw_output: str | None = None
    parsed: Any = None
    validated: Any = None
    preview: Sequence[Mapping[str, Any]] | None = None

    @property
    def errors(self) -> list[Issue]:
        """The issues that must be fixed, in order."""
        return [issue for issue in self.issues if issue.severity == "error"]

    @property
    def warnings(self) -> list[Issue]:
        """The issues that you should review."""
        return [issue for issue in self.issues if issue.severity == "warning"]

    @property
    def has_errors(self) -> bool:
        """Whether anything must be fixed."""
        return bool(self.errors)

    @property
    def valid(self) -> bool:
        """Whether nothing must be fixed."""
        return not self.errors

    @property
    def tier(self) -> int:
        """The tier that failed, 3 if none did."""
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
    def error_path(self) -> list[str] | None:
        """The parts of the path of the first error, such as ["extract", "date", "from"]."""
        path = self._first.path if self._first is not None else None
        return path.split(".") if path else None

    @property
    def short_message(self) -> str:
        """A short text of the first error: its detail "short" if the recipe provides it."""
        if self._first is None:
            return "nothing is wrong"
        return str(self._first.detail.get("short") or self._first.message)

    @property
    def _first(self) -> Issue | None:
        return min(self.errors, key=lambda issue: issue.tier, default=None)
