"""Compares new paths with what a rule has extracted before: unmatched shapes, broken fields, and values never seen."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.applying.near import near_miss
from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.detecting.groups import form_of
from retouch.recipes.rule.detecting.noise import noise_kind
from retouch.recipes.rule.editing import with_shape
from retouch.recipes.rule.language.render import render_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.language.extraction import Extraction
    from retouch.recipes.rule.language.model import ExtractionRule

MOST_VALUES = 200  # different values of a field; a field with more is not one of few values
MOST_MATCHED = 200  # paths whose values show what the fields of a further shape are
_VERSION = 1


@dataclass(kw_only=True)
class WatchState:
    """What was seen before: hashes of paths, and the values of each field, or None if it has too many.

    `rule` is a hash of the rule, `name` is its name ("" if a state of an earlier version has none).
    """

    rule: str = ""
    name: str = ""
    seen: set[str] = field(default_factory=set[str])
    values: dict[str, set[str] | None] = field(default_factory=dict[str, "set[str] | None"])

    @classmethod
    def from_json(cls, data: JSON) -> WatchState:
        """Return the state that `as_json` wrote.

        Raises:
            BadInput: it is no such state.
        """
        match data:
            case {"version": 1, "rule": str(rule), "seen": list(seen), "values": dict(values)}:
                named = data.get("name", "")
                known = {name: None if found is None else _texts(found) for name, found in values.items()}
                return cls(rule=rule, name=named if isinstance(named, str) else "", seen=_texts(seen), values=known)
            case _:
                raise _no_state()

    def as_json(self) -> dict[str, JSON]:
        """Return the state as plain data, in a stable order."""
        values: dict[str, JSON] = {
            name: None if found is None else [*sorted(found)] for name, found in sorted(self.values.items())
        }
        return {
            "version": _VERSION,
            "rule": self.rule,
            "name": self.name,
            "seen": [*sorted(self.seen)],
            "values": values,
        }


def _texts(found: JSON) -> set[str]:
    """Return a list of strings as a set. A damaged list is no list of few strings: it would hide what is new."""
    if not isinstance(found, list):
        raise _no_state()
    texts = {one for one in found if isinstance(one, str)}
    if len(texts) != len(found):
        raise _no_state()
    return texts


def _no_state() -> BadInput:
    return BadInput("the state is not one of 'retouch rule watch', or it is damaged", hint="Give --state another file.")


@dataclass(frozen=True, kw_only=True)
class UnmatchedShape:
    """Unmatched paths of one depth and extension: how many there are, one of them, and why it does not match."""

    shape: str
    count: int
    example: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Drift:
    """The new paths of a listing, compared with the state.

    - `counts`: the number of new paths by status, and of noise.
    - `broken`: by field and reason, how often a field could not be extracted, and one such path. A text that is there
      and cannot be read counts also if the field has a default: only what is missing is optional.
    - `broken_paths`: the number of these paths.
    - `values`: the values of fields of few values that were never seen. Empty in the first run.
    - `extension`: the difference to a rule that also matches the most frequent unmatched shape, or "".
    """

    counts: Mapping[str, int]
    unmatched: Sequence[UnmatchedShape]
    broken: Mapping[str, tuple[int, str]]
    broken_paths: int
    values: Mapping[str, Sequence[str]]
    extension: str
    after: WatchState

    def as_json(self) -> dict[str, JSON]:
        """Return the differences as plain data, without the state."""
        return {
            "new": sum(self.counts.values()),
            "counts": dict(self.counts),
            "unmatched": [
                {"shape": one.shape, "count": one.count, "example": one.example, "why": one.why}
                for one in self.unmatched
            ],
            "broken": {name: {"count": count, "example": path} for name, (count, path) in self.broken.items()},
            "values": {name: list(found) for name, found in self.values.items()},
            "extension": self.extension,
        }


def drift_of(rule: ExtractionRule, paths: Iterable[str], state: WatchState, *, root: str = "/") -> Drift:
    """Return how the new `paths` differ from what `state` knows. `state` is not changed; `after` is the next one.

    Raises:
        BadInput: the state is of a rule with another name.
    """
    text = render_rule(rule)
    after = _next_state(state, rule.name, _hashed(text))
    counts, fresh = Counter[str](), dict[str, set[str]]()
    broken, broken_paths = dict[str, tuple[int, str]](), 0
    texts = {one.name for shape in (rule, *rule.others) for one in shape.fields if one.type == "string"}
    unmatched, some = list[str](), list[str]()  # `some` are any paths, including some that the rule matches
    for path in paths:
        key = _hashed(path)
        some += [path] if len(some) < MOST_MATCHED else []
        if key in after.seen:
            continue
        after.seen.add(key)
        result = apply_rule(rule, path, root=root)
        if result.status == "UNMATCHED":
            is_noise = _is_noise(path)
            counts["noise" if is_noise else "UNMATCHED"] += 1
            unmatched += [] if is_noise else [path]
            continue
        counts[result.status] += 1
        broken_paths += _count_broken(broken, result, path)
        for name, value in result.values.items():
            if isinstance(value, str) and name in texts:
                fresh.setdefault(name, set()).add(value)
    _remember(after, fresh)
    shapes = _shapes(rule, unmatched, root)
    return Drift(
        counts=counts,
        unmatched=shapes,
        broken=broken,
        broken_paths=broken_paths,
        values=_new_values(state, fresh, is_known=state.rule == after.rule),
        extension=_extension(rule, text, shapes, [*some, *unmatched]),
        after=after,
    )


def _is_noise(path: str) -> bool:
    return bool(noise_kind(path.replace("\\", "/").rpartition("/")[2]))


def _count_broken(broken: dict[str, tuple[int, str]], result: Extraction, path: str) -> bool:
    """Count the fields of a path that are broken, and return whether there are some."""
    reasons = result.reasons.items()
    found = [f"{name}: {one.code}" for name, one in reasons if not one.defaulted or one.code == "TYPE_COERCION_FAILED"]
    for key in found:
        count, first = broken.get(key, (0, path))
        broken[key] = (count + 1, first)
    return bool(found)


def _next_state(state: WatchState, name: str, rule: str) -> WatchState:
    """Return a copy of the state. After a change of the rule all paths are new."""
    if state.name and state.name != name:
        message = f"the state is of the rule {state.name!r}, and this is the rule {name!r}"
        raise BadInput(message, hint="Give --state a file of its own to each rule.")
    seen = set(state.seen) if state.rule == rule else set[str]()
    return WatchState(rule=rule, name=name, seen=seen, values=dict(state.values))


def _hashed(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _new_values(state: WatchState, fresh: Mapping[str, set[str]], *, is_known: bool) -> dict[str, list[str]]:
    """Return the values never seen. If the rule `is_known`, a field that no path had before has only such values."""
    new: dict[str, list[str]] = {}
    for name, found in fresh.items():
        known = state.values.get(name, set[str]() if is_known else None)
        if known is not None and found - known:
            new[name] = sorted(found - known)
    return new


def _remember(after: WatchState, fresh: Mapping[str, set[str]]) -> None:
    for name, found in fresh.items():
        known = after.values.get(name, set[str]())
        merged = None if known is None else known | found
        after.values[name] = merged if merged is None or len(merged) <= MOST_VALUES else None


def _shapes(rule: ExtractionRule, unmatched: Sequence[str], root: str) -> list[UnmatchedShape]:
    groups: dict[tuple[int, str], list[str]] = {}
    for path in unmatched:
        groups.setdefault(_form(path), []).append(path)
    ordered = sorted(groups.items(), key=lambda one: (-len(one[1]), one[0]))
    return [
        UnmatchedShape(
            shape=f"{depth} segments, {f'.{ending}' if ending else 'no extension'}",
            count=len(found),
            example=found[0],
            why=near_miss(rule, found[0], root=root).why,
        )
        for (depth, ending), found in ordered
    ]


def _form(path: str) -> tuple[int, str]:
    return form_of(locate(path).absolute[1:].split("/"))


def _extension(rule: ExtractionRule, text: str, shapes: Sequence[UnmatchedShape], paths: Sequence[str]) -> str:
    """Return the difference to a rule with the most frequent unmatched shape, or "" if no rule is found for it."""
    if not shapes:
        return ""
    try:
        wider = with_shape(rule, shapes[0].example, paths)
    except BadInput:
        return ""
    after = render_rule(wider).splitlines(keepends=True)
    return "".join(difflib.unified_diff(text.splitlines(keepends=True), after, "rule", "proposed"))
