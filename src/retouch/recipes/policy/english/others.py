"""Parts about what a permission does not name: "but not to any other list", "ask me before you use any other one"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english import idioms
from retouch.recipes.policy.english.acts import Act, Statement
from retouch.recipes.policy.english.lexicon import singular, word_set
from retouch.recipes.policy.english.naming import PREPOSITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.acts import Qualifier
    from retouch.recipes.policy.english.phrases import Phrases

_LIMITING = frozenset({"named", "chosen", "value", "branches", "like", "inside", "sites", "emails", "repositories"})
_NOUNS_OF = {
    "branches": word_set("branch"),
    "inside": word_set("directory place location path"),
    "sites": word_set("page host domain server place"),
    "emails": word_set("address recipient person domain email"),
    "repositories": word_set("repository project"),
}
_OTHER = ("any other", "all other", "every other", "other", "any of the other", "all the other", "another")
_OTHERS = (
    "anyone else",
    "anybody else",
    "anywhere else",
    "any others",
    "others",
    "any other ones",
    "any other one",
    "other ones",
    "all others",
    "the others",
)
_NOT = ("not", "never", "but not", "but never", "and not", "and never")
_NO = ("no", "but no", "and no", "not any", "but not any", "and not any")
_IT = ("one", "it", "them", "ones", "any", "something", "anything")
_IS = ("is", "are", "stays", "stay", "remains", "remain")


def limited_by_rest(words: Phrases, at: int, before: Statement) -> Iterator[tuple[Statement, int]]:
    """Yield a permission with its limit, after "but not to any other list", "no others" and "others are forbidden"."""
    if before.stance != "permit" or before.only or len(before.acts) != 1 or before.acts[0].exceptions:
        return
    (act,) = before.acts
    for joined in words.optional(at, ",", ";", ", but", "but", ", and", "and", "; but"):
        found = [pair for then in words.after(joined, "not", "never") for pair in _rest(words, then, act)]
        for start in _after_preposition(words, joined):
            for then in words.after(start, "no"):
                found += list(_rest(words, then, act, openings=("other",), alone=("others", "other ones")))
        for limit, then in _rest(words, joined, act):
            for verb in words.after(then, *_IS):
                found += [(limit, end) for end in words.matches(verb, idioms.BAD)]
                found += [(limit, end) for not_ in words.after(verb, "not") for end in words.matches(not_, idioms.FINE)]
        for limit, end in found if joined > at else ():
            yield replace(before, acts=(_marked(act, limit),)), end


def asked_about_rest(words: Phrases, at: int, before: Statement) -> Iterator[tuple[Statement, int]]:
    """Yield "ask me before you change one in any other folder" and "other folders need my approval"."""
    if before.stance != "permit" or before.only or len(before.acts) != 1 or before.acts[0].exceptions:
        return
    (act,) = before.acts
    found: list[tuple[Qualifier, int]] = []
    for asked in words.matches(at, idioms.ASK):
        for then in words.after(asked, "for", "about", "in", "before using", "before you use"):
            found += _rest(words, then, act)
        for start in words.matches(asked, idioms.BEFORE):
            for then in _same_again(words, start, act):
                found += _rest(words, then, act)
    for limit, then in _rest(words, at, act):
        found += [(limit, end) for end in words.matches(then, idioms.NEEDS)]
        found += [(limit, end) for comma in words.after(then, ",") for end in words.matches(comma, idioms.ASK)]
    for limit, end in found:
        whole = replace(act, qualifiers=tuple(limit if _same(one, limit) else one for one in act.qualifiers))
        scope = replace(act, qualifiers=tuple(one for one in act.qualifiers if not _same(one, limit)))
        yield Statement(stance="ask", acts=(replace(scope, exceptions=(replace(whole, things=scope.things),)),)), end


def _same_again(words: Phrases, at: int, act: Act) -> Iterator[int]:
    """Yield the position after the verb of an act, and after "it" or its object: "change one", "add subscribers"."""
    form = "base" if words.word(at - 1) in {"you", "to"} else "ing"
    for verbs, then in words.verb_list(at, form):
        if verbs == act.verbs:
            yield from words.optional(then, *_IT)
            yield from (end for things, end in words.things(then) if _nouns(things) == _nouns(act.things))
    yield from words.optional(at, "doing so", "you do so", "do so", "do it", "doing it")


def _nouns(things: tuple[object, ...]) -> list[object]:
    return [getattr(one, "nouns", ()) for one in things]


def _rest(
    words: Phrases, at: int, act: Act, openings: tuple[str, ...] = _OTHER, alone: tuple[str, ...] = _OTHERS
) -> Iterator[tuple[Qualifier, int]]:
    """Yield the qualifier that "to any other list" is the rest of, with the argument that its noun names."""
    limiting = [one for one in act.qualifiers if one.kind in _LIMITING]
    for start in _after_preposition(words, at):
        for end in words.after(start, *alone):
            if len(limiting) == 1:
                yield limiting[0], end
        for then in words.after(start, *openings):
            for size in (1, 2):
                said = [words.word(one) for one in range(then, then + size)]
                noun = " ".join((*said[:-1], singular(said[-1])))
                found = [one for one in (_called(words, limit, noun) for limit in limiting) if one is not None]
                if len(found) == 1:
                    yield found[0], then + size


def _after_preposition(words: Phrases, at: int) -> Iterator[int]:
    yield at
    if words.word(at) in PREPOSITIONS:
        yield at + 1


def _called(words: Phrases, one: Qualifier, noun: str) -> Qualifier | None:
    """Return a qualifier if a noun can stand for its values: the argument that it names has to be the same one."""
    known = _NOUNS_OF.get(one.kind)
    if known is not None or one.kind == "like":
        types = {"file type", "type", "kind", "format", "file", "file format"} if one.word == "path" else {"branch"}
        return one if noun in (known or types) else None
    own = one.word if one.kind == "named" else one.arg
    if own:
        return one if noun == own else None
    named = noun in words.given or noun in words.arguments
    return replace(one, kind="chosen", arg=noun) if named else None


def _same(one: Qualifier, limit: Qualifier) -> bool:
    return one == limit or (one.names == limit.names and limit.kind == "chosen" and one.kind in {"chosen", "value"})


def _marked(act: Act, limit: Qualifier) -> Act:
    """Return an act with one qualifier as its limit: what that excludes is forbidden."""
    return replace(
        act, qualifiers=tuple(replace(limit, only=True) if _same(one, limit) else one for one in act.qualifiers)
    )
