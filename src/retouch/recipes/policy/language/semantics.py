"""The versions of what a policy means. A stored policy names its version, so that its decisions never change."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Semantics:
    """What one version decides in the corners; everything else is the same in all.

    `root_holds_all`: every path is inside `/`. `strict`: what cannot be judged is denied: values of resource arguments
    that are neither text nor lists of text, relative paths without a working directory, addresses that no rule could
    recognise, arguments that the annotation does not know; texts nested in such values count for protected paths and
    hosts; protected folders inside the sandbox stay protected, in any spelling of their letters; each host and member
    is judged by itself, so that a prohibition holds whoever else is named.
    """

    version: int
    root_holds_all: bool
    strict: bool


SEMANTICS = {
    1: Semantics(version=1, root_holds_all=False, strict=False),
    2: Semantics(version=2, root_holds_all=True, strict=True),
}
LATEST = 2
