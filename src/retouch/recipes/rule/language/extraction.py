"""The result of applying a rule to a path: the values, and the reasons for missing ones."""

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
    """Why a field is missing. `defaulted` is True if its default is used instead."""

    code: ReasonCode
    message: str
    defaulted: bool = False

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Extraction:
    """The values that a rule extracted from one path.

    - COMPLETE: every field has its value, or is optional.
    - PARTIAL: some fields have their value.
    - FAILED: no field has its value.
    - UNMATCHED: the glob does not match.

    `values` can be written as JSON and has no field that failed. `reasons` has an entry for each field that could not
    be extracted, even if its default is used.
    """

    path: str
    status: Status
    values: Mapping[str, JSON]
    reasons: Mapping[str, Reason]
