"""Measures how specific a rule is: which characters of a path it explains, and which other paths it would match."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.language.model import ExtractionRule

LEAST_EXPLAINED = 0.6
MOST_NEAR_MISSES = 0.01
_PROBED = 6  # paths; each has as many variants as characters


@dataclass(frozen=True, kw_only=True)
class Specificity:
    """How specific a rule is.

    - `explained`: the share of the characters of a path that cannot be replaced by one of another kind (a digit by a
      letter, a letter by a digit) without the rule refusing the path. Literal text and typed values are explained.
    - `near_misses`: the share of made-up names that it extracts every field from, although they are no data: checksums,
      temporary files, markers, other extensions.
    """

    explained: float
    near_misses: float

    @property
    def is_specific(self) -> bool:
        """Whether at least 60 % of the characters are explained and at most 1 % of the near misses match."""
        return self.explained >= LEAST_EXPLAINED and self.near_misses <= MOST_NEAR_MISSES


def specificity_of(rule: ExtractionRule, paths: Sequence[str], *, root: str = "/") -> Specificity:
    """Return how specific `rule` is on paths that it matches. Without such a path it is not specific."""
    alone = [replace(one, others=()) for one in (rule, *rule.others)]
    taken: list[tuple[ExtractionRule, str]] = []
    for path in paths[:: max(len(paths) // _PROBED, 1)]:
        match = next((one for one in alone if apply_rule(one, path, root=root).status == "COMPLETE"), None)
        if match is not None:
            taken.append((match, path))
    if not taken:
        return Specificity(explained=0.0, near_misses=1.0)
    explained = [_explained(one, path, root) for one, path in taken]
    misses = [
        apply_rule(one, miss, root=root).status == "COMPLETE" for one, path in taken for miss in near_misses_of(path)
    ]
    return Specificity(explained=sum(explained) / len(explained), near_misses=sum(misses) / len(misses))


def _explained(rule: ExtractionRule, path: str, root: str) -> float:
    refused = probed = 0
    start = len(path) - len(path.lstrip("/"))
    for at in range(start, len(path)):
        if path[at] == "/":
            continue
        probed += 1
        other = path[:at] + _of_another_kind(path[at]) + path[at + 1 :]
        refused += apply_rule(rule, other, root=root).status != "COMPLETE"
    return refused / max(probed, 1)


def _of_another_kind(char: str) -> str:
    if char.isdigit():
        return "x"
    return "7" if char.isalpha() else "q"


def near_misses_of(path: str) -> Iterator[str]:
    """Yield names of files that lie next to data and are none."""
    above, slash, name = path.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    directory = f"{above}{slash}"
    yield from (f"{directory}{name}{ending}" for ending in (".crc", ".tmp", ".md5", ".bak", "~", ".part"))
    yield from (f"{directory}{other}" for other in ("_SUCCESS", "README", ".DS_Store", f".{name}.crc"))
    if dot and stem:
        yield f"{directory}{stem}"
        yield f"{directory}{stem}.unheardof"
    if above.strip("/"):
        yield f"{above.rpartition('/')[0]}/{name}".lstrip("/") if not path.startswith("/") else f"/{name}"
