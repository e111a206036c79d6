"""Which endpoints `--match` and `--all` mean."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from retouch.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Named(Protocol):
    """What a pattern looks at."""

    @property
    def method(self) -> str:
        """The method, upper case."""
        ...

    @property
    def path(self) -> str:
        """The path as the document writes it."""
        ...


E = TypeVar("E", bound=Named)
Fits: TypeAlias = "Callable[[str], object]"


def matching(endpoints: Iterable[E], patterns: Sequence[str]) -> list[E]:
    """Return the endpoints that fit one of `patterns`: a method and a path, or a path alone, where * fits anything.

    Raises:
        UnknownName: a pattern fits no endpoint.
    """
    found = list(endpoints)
    chosen: set[int] = set()
    for pattern in patterns:
        method, path = _parts(pattern)
        hits = [place for place, one in enumerate(found) if method(one.method) and path(one.path)]
        if not hits:
            some = ", ".join(repr(f"{one.method} {one.path}") for one in found[:3]) or "none"
            hint = f"The document has {len(found):,} endpoints, such as {some}; * fits any characters, also slashes."
            raise UnknownName(f"no endpoint fits {pattern!r}", hint=hint)
        chosen.update(hits)
    return [one for place, one in enumerate(found) if place in chosen]


def _parts(pattern: str) -> tuple[Fits, Fits]:
    first, _, rest = pattern.strip().partition(" ")
    method, path = (first, rest.strip()) if rest else ("*", first)
    return _fits(method.upper()), _fits(path)


def _fits(pattern: str) -> Fits:
    # Only * and ? are special: brackets may stand in a path.
    escaped = pattern.replace("[", "[[]")
    return re.compile(translate(escaped)).match
