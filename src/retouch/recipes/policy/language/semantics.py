"""The versions of a policy's semantics. A stored policy names its version, so that its decisions never change."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Semantics:
    """The differences between versions. Everything else is the same in all.

    `root_holds_all`: every path is inside `/`.

    `strict`: calls that cannot be evaluated are denied. These are resource arguments that are neither strings nor lists
    of strings, relative paths without a working directory, URLs that no rule could match, and arguments that the
    annotation does not know. Strings nested in such values count for protected paths and hosts. Protected directories
    inside the sandbox stay protected, in any spelling. Each host and member is decided separately, so that a
    prohibition applies whatever else the call contains.
    """

    version: int
    root_holds_all: bool
    strict: bool


SEMANTICS = {
    1: Semantics(version=1, root_holds_all=False, strict=False),
    2: Semantics(version=2, root_holds_all=True, strict=True),
    3: Semantics(version=3, root_holds_all=True, strict=True),
}
LATEST = 3
STRICT = 2  # the first version that denies whatever it cannot evaluate
WITH_LIMITS = 3  # the first version whose rules may have `where` and `unless`; otherwise the same as version 2
