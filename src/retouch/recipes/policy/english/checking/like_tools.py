"""Takes in tools that are like restricted ones: of the same verb with the same tested argument, or for the same thing.

"Never update contacts" is about `batch_update_objects(objectType)` beside `update_object(objectType)`, "never write to
main" about `push_files(branch)`, "never kill processes" about `force_terminate(pid)`, and "never read pages" about the
tool that is described as "retrieve the blocks of a page".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.json_schema import fields_of, has_only
from retouch.recipes.policy.english.tools.flag_words import TRASHING, flags_of_verb
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import READ, VERBS, singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import CallAction, Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Sentence, ToolPart

_OF_ANY_KIND = word_set("object item record resource entity thing")
_DELETING = TRASHING | word_set("archive manage administer use do")
_WRITING = word_set("write push commit change modify edit touch")
_QUERIES = word_set("q query search")
_COMMITTED = word_set("file commit")
# What a search of several repositories has in its text if it is of one of them alone, or of all others
_IN, _NOT_IN = "*repo:*", ("*-repo:*", "*NOT repo:*")
_LOOKS_LIKE_READING = word_set("review check inspect examine")


def with_like_tools(meaning: Meaning, said: Said, tools: tuple[KnownTool, ...]) -> Meaning:
    """Return a meaning whose restrictions reach the tools that are like those that it restricts.

    Raises:
        Unclear: a verb may be what a tool does, and not a word for reading: to review a pull request.
    """
    known = {one.key: one for one in tools if not one.code}
    keys = {(part.server, part.tool) for part in meaning.parts}
    left = [one for one in known.values() if one.key not in keys]

    def more(part: ToolPart) -> Iterator[ToolPart]:
        one = known.get((part.server, part.tool))
        for other in left:
            if one is None or other.tool.server != part.server:
                continue
            _refuse_other_act(said, other)
            if _is_like(one, other, part, said):
                yield replace(part, tool=other.tool.name)
            yield from _searches(one, other, part)

    allow = frozenset(_without_deletion(part, known.get((part.server, part.tool)), said) for part in meaning.allow)
    return replace(meaning, allow=allow).with_added(lambda parts: (each for part in parts for each in more(part)))


def _without_deletion(part: ToolPart, one: KnownTool | None, said: Said) -> ToolPart:
    """Return a permitted part without the calls that delete by a flag, which nobody spoke of: `archived` of a block."""
    if one is None or not one.verbs.isdisjoint(TRASHING) or not said.verbs.isdisjoint(_DELETING):
        return part
    tested = {limit.arg for limit in (*part.where, *part.unless)}
    flags = [arg for arg, _ in flags_of_verb(one, "delete") if arg not in tested and arg not in one.required]
    return replace(part, where=(*part.where, *(Limit(arg=arg, state="absent") for arg in flags)))


def _searches(one: KnownTool, other: KnownTool, part: ToolPart) -> Iterator[ToolPart]:
    """Yield the searches that name a repository that must not be read: `search_code(query: "repo:acme/payroll")`."""
    nouns = {limit: split_name(limit.arg or limit.role or "")[-1:] for limit in part.where}
    named = [limit for limit, words in nouns.items() if words in (["repo"], ["repository"])]
    whole = all(words in (["repo"], ["repository"], ["owner"]) for words in nouns.values())
    texts = [arg for arg in other.tool.args if arg in _QUERIES and other.takes_one_text(arg)]
    if part.unless or not one.reads or not (named and whole) or not texts or "search" not in other.verbs:
        return
    if any(limit.arg in other.tool.args or limit.role in other.roles for limit in named):
        return
    like = tuple(f"*/{value}*" for limit in named for value in limit.among)
    if like:
        query, given = texts[0], Limit(arg=texts[0], state="present")
        yield replace(part, tool=other.tool.name, where=(given, Limit(arg=query, like=(*like, *_NOT_IN))))
        yield replace(part, tool=other.tool.name, where=(given,), unless=(Limit(arg=query, like=(_IN,)),))


def _is_like(one: KnownTool, other: KnownTool, part: ToolPart, said: Said) -> bool:
    """Return whether another tool is restricted by the tests of a part as well."""
    if part.unless or any(limit.is_of_state for limit in part.where):
        return False
    if not part.where:
        return _shows_the_same(one, other, said) or _does_it_to_nothing_named(one, other, said)
    tested = [limit.arg for limit in part.where]
    if not all(arg is not None and arg in other.tool.args for arg in tested) or one.reads != other.reads:
        return False
    alike = other.head == one.head or other.head in _OF_ANY_KIND or bool(said.forms & _OF_ANY_KIND)
    return (alike and bool(one.verbs & other.verbs)) or _writes_to_branch(other, part.where, said)


def _writes_to_branch(other: KnownTool, tests: Iterable[Limit], said: Said) -> bool:
    """Return whether nothing must be written to a branch, and a tool changes files there."""
    branch = any(split_name(limit.arg or "")[-1:] == ["branch"] for limit in tests)
    return branch and bool(said.verbs & _WRITING) and not other.reads and other.head in _COMMITTED


def _shows_the_same(one: KnownTool, other: KnownTool, said: Said) -> bool:
    """Return whether things must not be read, and the description of another tool that reads names them."""
    looks = bool(said.verbs) and all(verb in VERBS and "read" in VERBS[verb].deeds for verb in said.verbs)
    return looks and one.reads and other.reads and bool(said.objects & (one.told_words | {one.head}) & other.told_words)


def _does_it_to_nothing_named(one: KnownTool, other: KnownTool, said: Said) -> bool:
    """Return whether a tool has the verb that is said, and no noun: `force_terminate(pid)` beside `kill_process`."""
    meant = frozenset(each for verb in said.acts for each in VERBS[verb].perhaps)
    return other.head is None and not other.reads and not one.reads and bool(other.verbs & meant)


def _refuse_other_act(said: Said, other: KnownTool) -> None:
    own = {singular(word) for word in other.words}
    if not other.reads and said.verbs & _LOOKS_LIKE_READING & own and other.verbs.isdisjoint(READ):
        raise Unclear(f"it is not sure that it is understood: {other.tool.name} may be meant as well")


def refuse_idle_tests(sentences: Iterable[Sentence], tools: Iterable[KnownTool]) -> None:
    """Refuse tests that no call can pass: an argument that is a number is never `"urgent"`.

    Raises:
        Unclear: there is one.
    """
    known = {one.key: one for one in tools}
    for sentence in sentences:
        for part in sentence.action.parts if isinstance(sentence.action, CallAction) else ():
            one = known.get((part.server, part.tool))
            for limit in _texts_of(part) if one is not None else ():
                if one is not None and _is_idle(limit, one.schema_of(limit.arg or "")):
                    raise Unclear(
                        f"{limit.arg!r} of {one.tool.name} is no text, so that it is never {limit.among[0]!r}"
                    )


def _is_idle(limit: Limit, schema: Mapping[str, JSON]) -> bool:
    """Return whether a schema admits no text, or only a list of objects, and the texts are none of their fields."""
    if has_only(schema, "number", "integer", "boolean"):
        return True
    items = schema.get("items")
    objects = has_only(schema, "array") and has_only(items, "object")
    return objects and set(fields_of(items)).isdisjoint(map(str, limit.among))


def _texts_of(part: ToolPart) -> Iterator[Limit]:
    limits = (limit for limit in (*part.where, *part.unless) if limit.arg and limit.among)
    return (limit for limit in limits if all(isinstance(value, str) for value in limit.among))
