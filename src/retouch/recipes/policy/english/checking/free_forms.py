"""Takes in the tools that do what a restriction is about by a free text or object: a patch, a manifest, a pipeline.

"Ask before scaling anything" is about a patch with `replicas`, "the production database is read-only" about an
aggregation of another one that ends in `$out`, and "don't close issues" about `update_issue(fields)`. Where nobody can
see it in the call, the sentence is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.json_schema import has_only
from retouch.recipes.policy.english.checking.restriction import Restriction
from retouch.recipes.policy.english.checking.said_words import CHANGING
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

# What a definition of a resource of Kubernetes, or the values of a chart, say if they do it.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "scale": ("replicas", "replicaCount", "minReplicas", "maxReplicas"),
    "restart": ("restartedAt", "kubectl.kubernetes.io/restartedAt"),
    "pause": ("paused",),
    "resume": ("paused",),
    "cordon": ("unschedulable",),
    "label": ("labels",),
    "annotate": ("annotations",),
}
_APPLYING = CHANGING | word_set("apply upgrade replace")
_DEFINITIONS = re.compile(r"\b(?:patch|manifests?|ya?ml|chart values|values)\b")
_MANIFEST = re.compile(r"\b(?:manifests?|ya?ml)\b")
_FILE = re.compile(r"\b(?:file ?name|file|path)\b")
_CONTEXT = re.compile(r"\bnamespaces?\b")
_BECOMING = word_set(
    "close reopen complete finish resolve approve reject archive publish unpublish activate deactivate enable disable "
    "transition assign reassign rename prioritize"
)
_FIELDS = word_set(
    "field fields property properties attribute attributes data patch payload update updates change changes"
)
_PIPELINES = word_set("pipeline aggregation stage stages target")
_WRITES = ("$out", "$merge")
_CHANGED = re.compile(r"\b(?:read[- ]only|writ\w*|chang\w*|modif\w*|edit\w*|updat\w*|alter\w*|insert\w*)\b")
_LOOKING = word_set("find query search read view see get")
_SHOWING = word_set("aggregate export find query sample dump download")
_STARTING = word_set("start run activate")
_KINDS_OF_DEVICES = word_set("domain")


@dataclass(frozen=True, kw_only=True, eq=False)
class _Free(Restriction):
    """What a sentence says and restricts."""

    said: Said

    def is_left(self, one: KnownTool) -> bool:
        """Return whether nothing is said about a tool."""
        return all((part.server, part.tool) != one.key for part in self.meaning.parts)


def with_free_forms(meaning: Meaning, low: str, said: Said, tools: tuple[KnownTool, ...]) -> Meaning:
    """Return a meaning whose restrictions reach the tools that do the same by a free text or object.

    Raises:
        Unclear: a call of such a tool does not show what it does.
    """
    free = _Free(text=low, meaning=meaning, said=said, tools=tools)
    known = {one.key: one for one in tools if not one.code}

    def widened(parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
        found = set(parts)
        for part in parts:
            one = known.get((part.server, part.tool))
            if one is None:
                continue
            found |= set(_in_context(free, one, part))
            for other in tools:
                if other.tool.server == part.server and not (other.computes or other.code):
                    found |= set(_added(free, one, part, other))
        return frozenset(found)

    return meaning.with_restrictions(widened)


def _added(free: _Free, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    yield from _piped(free, one, part, other)
    if not free.is_left(other):
        return
    yield from _shown(free, one, part, other)
    if not other.reads and not one.reads:
        _refuse_fields(free, one, other)
        yield from _defined(free, one, part, other)
        yield from _turned_on(free, one, part, other)


def _told(one: KnownTool, arg: str) -> str:
    return f"{' '.join(split_name(arg))} {one.described(arg)}".lower()


def _present(one: KnownTool, arg: str) -> tuple[Limit, ...]:
    return () if arg in one.required else (Limit(arg=arg, state="present"),)


def _refuse_fields(free: _Free, one: KnownTool, other: KnownTool) -> None:
    """Refuse what a tool can do to the same things by fields that its schema does not list.

    Raises:
        Unclear: there is such a tool.
    """
    becomes = free.said.acts & _BECOMING or (free.said.verbs & _BECOMING)
    if not becomes or other.head != one.head or (other.verbs | other.done).isdisjoint(CHANGING):
        return
    for arg in other.tool.args:
        words = split_name(arg)
        named = words[-1:] and words[-1] in _FIELDS and "custom" not in words
        if named and _is_free(other, arg):
            raise Unclear(
                f"it is not sure that it is understood: {other.tool.name} may be meant as well, which takes any "
                f"{arg!r}; say it in other words"
            )


def _is_free(one: KnownTool, arg: str) -> bool:
    """Return whether an argument is an object with any keys, or a text with one."""
    schema = one.schema_of(arg)
    text = has_only(dict(schema), "string") and "json" in one.described(arg).lower()
    return text or (has_only(dict(schema), "object") and not schema.get("properties"))


def _defined(free: _Free, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls of a tool that takes a patch, a manifest or values, if these do it: `replicas` for "scale"."""
    acts = free.said.acts & _KEYS.keys() & (one.verbs | one.done | _values(part))
    if not acts or (other.verbs | other.done).isdisjoint(_APPLYING) or part.unless:
        return
    if any(limit.bounds for limit in part.where):
        return  # nobody sees which number it sets
    keys = tuple(dict.fromkeys(key for act in sorted(acts) for key in _KEYS[act]))
    places = tuple(limit for limit in part.where if _is_of_namespace(limit))
    for arg in other.tool.args:
        told = _told(other, arg)
        if _is_free(other, arg) and _DEFINITIONS.search(told):
            yield from _at(part, other, places, (*_present(other, arg), Limit(arg=arg, among=keys)))
        elif other.takes_one_text(arg) and _MANIFEST.search(told):
            like = Limit(arg=arg, like=tuple(f"*{key}*" for key in keys))
            unseen = _FILE.search(told) is not None  # nobody sees what the file says, or where
            tests = (*_present(other, arg), *(() if unseen else (like,)))
            yield from _at(part, other, () if unseen else places, tests, inside=arg)


def _values(part: ToolPart) -> set[str]:
    return {str(value).lower() for limit in part.where for value in limit.among}


def _is_of_namespace(limit: Limit) -> bool:
    return [singular(word) for word in split_name(limit.arg or "")][-1:] == ["namespace"]


def _at(
    part: ToolPart, other: KnownTool, places: Sequence[Limit], tests: tuple[Limit, ...], *, inside: str | None = None
) -> Iterator[ToolPart]:
    """Yield the calls with some tests in a place: by its argument, or in the text of a definition."""
    if not places:
        yield replace(part, tool=other.tool.name, where=tests)
        return
    if all(limit.arg in other.tool.args for limit in places):
        yield replace(part, tool=other.tool.name, where=(*places, *tests))
    if inside is not None:
        names = [str(value) for limit in places for value in limit.among]
        both = [
            f"{a}{b}*" for like in tests[-1].like for name in names for a, b in ((like, name), (f"*{name}", like[:-1]))
        ]
        yield replace(part, tool=other.tool.name, where=(*tests[:-1], Limit(arg=inside, like=tuple(both))))


def _in_context(free: _Free, one: KnownTool, part: ToolPart) -> Iterator[ToolPart]:
    """Yield the calls in a cluster of the name of an environment, which is tested as a namespace."""
    names = tuple(f"*{value}*" for limit in part.where if _is_of_namespace(limit) for value in limit.among)
    if not names or _CONTEXT.search(free.text) or "context" not in one.tool.args or part.unless:
        return
    rest = tuple(limit for limit in part.where if not _is_of_namespace(limit))
    yield replace(part, where=(*rest, *_present(one, "context"), Limit(arg="context", like=names)))


def _piped(free: _Free, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls with a pipeline that names the place which is tested: `$out` to it, or `$lookup` from it."""
    named = [limit for limit in part.where if limit.arg and limit.among and limit.state is None]
    if len(named) != 1 or len(part.where) != 1 or part.unless or other.key != one.key:
        return
    for arg in other.tool.args:
        schema = other.schema_of(arg)
        if split_name(arg)[-1:] and split_name(arg)[-1] in _PIPELINES and has_only(dict(schema), "array", "object"):
            writes = _CHANGED.search(free.text) is not None
            operators = (Limit(arg=arg, among=_WRITES),) if writes else ()
            yield replace(part, where=(*_present(other, arg), *operators, Limit(arg=arg, among=named[0].among)))


def _shown(free: _Free, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the other tools that show what is in a place in which nothing must be found: `export(collection)`."""
    tested = {limit.arg for limit in part.where}
    looks = bool(free.said.verbs & _LOOKING) and one.reads and not part.unless and len(tested) == 1
    if looks and tested <= other.required and not (other.verbs | other.done).isdisjoint(_SHOWING):
        yield replace(part, tool=other.tool.name)


def _turned_on(free: _Free, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that turn on devices of a kind, or of such a name, if they must not be started."""
    starts = bool(free.said.verbs & _STARTING & (one.verbs | one.done)) and "turn on" in other.verbs
    if not starts or part.where or part.unless or one.head is None:
        return
    for arg in other.tool.args:
        if arg in _KINDS_OF_DEVICES:
            yield replace(part, tool=other.tool.name, where=(*_present(other, arg), Limit(arg=arg, among=(one.head,))))
        elif arg == "name":
            like = Limit(arg=arg, like=(f"*{one.head}*",))
            yield replace(part, tool=other.tool.name, where=(*_present(other, arg), like))
