"""What a rule takes from a path, as a value: what was taken, and why the rest was not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON

Status: TypeAlias = Literal["COMPLETE", "PARTIAL", "FAILED", "UNMATCHED"]
ReasonCode: TypeAlias = Literal["SEGMENT_OUT_OF_RANGE", "PATTERN_NO_MATCH", "TYPE_COERCION_FAILED"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a field could not be taken from a path; `defaulted` says that its default stands in."""

    code: ReasonCode
    message: str
    defaulted: bool = False

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a rule took from one path.

    COMPLETE: every field has its value, or is optional. PARTIAL: some have. FAILED: none could be taken. UNMATCHED:
    the glob does not fit. `values` are ready for JSON and hold no field that failed; `reasons` has an entry for each
    field that could not be taken, also where its default stands in.
    """

    path: str
    status: Status
    values: Mapping[str, JSON]
    reasons: Mapping[str, Reason]
