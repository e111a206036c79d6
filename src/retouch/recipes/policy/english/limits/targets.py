"""Where something goes, beside where it is: "files in ~/in may be moved to ~/out, but nowhere else"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.acts import OUT_OF
from retouch.recipes.policy.english.words.lexicon import bases_of, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.english.words.acts import Act, Qualifier, Statement
    from retouch.recipes.policy.english.words.naming import SentenceWords

_TO = word_set("to into onto")
_IN = word_set("in inside within under below")
_SAVED = word_set("saved stored placed put written kept")
_BRINGING = word_set("download export extract unpack save fetch generate")
_MOVING = word_set("copy move rename read delete open")
_TIMES = word_set("time times day days hour hours")
_AMOUNTS = frozenset({"about", "amount", "size", "count", "per"})


def with_source(act: Act) -> Act:
    """Return "move files in ~/in to ~/out" as "from ~/in": what is there before is not there after that."""
    places = [one.word for one in act.qualifiers if one.kind == "inside" and one.word in _IN]
    if len(places) != 1 or not any(_is_target(one) for one in act.qualifiers):
        return act
    found = tuple(
        replace(one, word="from") if one.kind == "inside" and one.word in _IN and not one.is_condition else one
        for one in act.qualifiers
    )
    return replace(act, qualifiers=found)


def is_of_target(limiting: Sequence[Qualifier], scope: Sequence[Qualifier]) -> bool:
    """Return whether "only" limits where something goes, and the other place is where it comes from."""
    places = [one for one in scope if one.kind in {"inside", "outside"}]
    return all(_is_target(one) for one in limiting) and all(
        one.kind == "inside" and one.word in {"from", OUT_OF} for one in places
    )


def only_there(words: SentenceWords, at: int, end: int, one: Statement) -> Statement | None:
    """Return a permission of which "nowhere else" limits the target, and "at no other time" the time.

    None if it may limit something else as well.
    """
    if len(one.acts) != 1 or one.acts[0].exceptions or any(each.only for each in one.acts[0].qualifiers):
        return None
    (act,) = one.acts
    limits = [each for each in act.qualifiers if each.kind not in _AMOUNTS]
    said = {words.word(place) for place in range(at, end)}
    if not said.isdisjoint(_TIMES):
        times = [each for each in limits if each.kind == "time"]
        return _marked(one, times[0]) if len(times) == 1 else None
    targets = [each for each in limits if _is_target(each)]
    if len(limits) != 2 or len(targets) != 1 or any(each.kind != "inside" for each in limits):
        return None
    return _marked(one, targets[0]) if said.isdisjoint({"from", "with", "for", "nothing", "nobody"}) else None


def _marked(one: Statement, limit: Qualifier) -> Statement:
    (act,) = one.acts
    marked = tuple(replace(each, only=True) if each is limit else each for each in act.qualifiers)
    return replace(one, acts=(replace(act, qualifiers=marked),))


def alike(found: list[Qualifier], preposition: str) -> list[Qualifier]:
    """Return the places that a preposition can be about: "to any other folder" is about where something goes."""
    groups = (_TO, _IN | {"from", OUT_OF})
    group = next((one for one in groups if preposition in one), None)
    places = [one for one in found if one.kind == "inside"]
    if len(found) < 2 or len(places) != len(found) or group is None:
        return found
    return [one for one in found if one.word in group]


def done_again(words: SentenceWords, at: int) -> Iterator[int]:
    """Yield the position after "copied" in "files may be copied, only if they are copied into ~/out"."""
    for verb, then in words.verb(at, "ed"):
        if any(verb in bases_of(one.text, form=form) for one in words.tokens[:at] for form in ("base", "ed", "ing")):
            yield then


def saved_there(words: SentenceWords, at: int, one: Qualifier) -> Qualifier:
    """Return "saved in ~/out" after "downloaded" as the place that something is brought to.

    Files that are read or deleted are stored where they are already.
    """
    verbs = {
        base
        for token in words.tokens[:at]
        for form in ("base", "ed", "ing")
        for base in bases_of(token.text, form=form)
    }
    saved = words.word(at - 1) in _SAVED and one.kind == "inside"
    return replace(one, word="to") if saved and verbs & _BRINGING and not verbs & _MOVING else one


def _is_target(one: Qualifier) -> bool:
    return one.kind == "inside" and one.word in _TO
