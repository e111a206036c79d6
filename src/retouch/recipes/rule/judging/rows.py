"""Results of trying an artifact on samples: one row for each path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.language.extraction import Reason, Status

Failure: TypeAlias = "tuple[str, str, int | None]"  # code, message, line


@dataclass(frozen=True, kw_only=True)
class Row:
    """The result for one path: as `Extraction`, and the `failure` of a function."""

    path: str
    status: Status
    values: Mapping[str, JSON]
    reasons: Mapping[str, Reason]
    failure: Failure | None = None

    def as_json(self) -> dict[str, JSON]:
        """Return the row as plain data."""
        why: dict[str, JSON] = {name: {"code": one.code, "message": one.message} for name, one in self.reasons.items()}
        row: dict[str, JSON] = {"path": self.path, "status": self.status, "values": dict(self.values), "reasons": why}
        if self.failure is not None:
            row["failure"] = {"code": self.failure[0], "message": self.failure[1]}
        return row


@dataclass(frozen=True, kw_only=True)
class Trial:
    """The rows of all samples, in order. `engine` is the sandbox that ran a function, with its version, "" for a rule.

    `changing` lists the paths for which a second call returned something else.
    """

    rows: tuple[Row, ...]
    engine: str = ""
    changing: tuple[str, ...] = ()

    @property
    def matched(self) -> tuple[Row, ...]:
        """The rows of the paths that the artifact matches."""
        return tuple(row for row in self.rows if row.status != "UNMATCHED")

    @property
    def coverage(self) -> float:
        """The share of the samples that matched and have every field that is not optional."""
        return sum(row.status == "COMPLETE" for row in self.rows) / len(self.rows) if self.rows else 0.0


def failed(rows: Sequence[Row], name: str) -> list[Row]:
    """Return the rows in which the field `name` is missing and has no default."""
    return [row for row in rows if name in row.reasons and not row.reasons[name].defaulted]
