"""The forms of sentences about an attribute: "never set the priority to urgent", "email addresses must not be changed".

Every word of a sentence belongs to its form. A sentence with more words, such as a condition, has none of these forms.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.attributes.said import (
    OnAttribute,
    Reference,
    noun_after,
    nouns,
    references,
    things,
    values,
)
from retouch.recipes.policy.english.frames import touching
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.words import idioms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.attributes.said import Calls
    from retouch.recipes.policy.english.words.naming import Form, KnownWords
    from retouch.recipes.policy.english.words.tokens import Token

_SETTING = {
    "base": ("set", "change", "switch", "update", "raise", "put", "bump", "lower", "reset"),
    "ing": ("setting", "changing", "switching", "updating", "raising", "putting", "bumping", "lowering", "resetting"),
    "ed": ("set", "changed", "switched", "updated", "raised", "put", "bumped", "lowered", "reset"),
    "s": (),
}
_CHANGING = {
    "base": ("change", "edit", "modify", "alter", "update", "touch", "adjust", "amend", "overwrite", "correct",
             "make changes to", "make any changes to", "tamper with", "rewrite"),
    "ing": ("changing", "editing", "modifying", "altering", "updating", "touching", "adjusting", "amending",
            "overwriting", "correcting", "making changes to", "making any changes to", "tampering with", "rewriting"),
    "ed": ("changed", "edited", "modified", "altered", "updated", "touched", "adjusted", "amended", "overwritten",
           "corrected", "rewritten"),
    "s": (),
}  # fmt: skip
_GIVING = {"base": ("give",), "ing": ("giving",), "ed": (), "s": ()}
_ASSIGNING = {
    "base": ("assign", "reassign", "hand over"),
    "ing": ("assigning", "reassigning", "handing over"),
    "ed": ("assigned", "reassigned", "handed over"),
    "s": (),
}
_TAGGING: tuple[tuple[str, dict[Form, tuple[str, ...]]], ...] = (
    ("tag", {"base": ("tag",), "ing": ("tagging",), "ed": ("tagged",), "s": ()}),
    ("label", {"base": ("label",), "ing": ("labelling", "labeling"), "ed": ("labelled", "labeled"), "s": ()}),
    (
        "category",
        {
            "base": ("categorise", "categorize"),
            "ing": ("categorising", "categorizing"),
            "ed": ("categorised", "categorized"),
            "s": (),
        },
    ),
)
_PUTTING: dict[Form, tuple[str, ...]] = {
    "base": ("put", "move", "place"),
    "ing": ("putting", "moving", "placing"),
    "ed": (),
    "s": (),
}
_FIRST = frozenset({"set", "setting", "put", "putting"})  # what is made has a value, too
_AGAIN = frozenset({"reassign", "reassigning", "reassigned"})
_DOING: dict[str, tuple[Calls, tuple[str, ...]]] = {
    "change": ("change", ("update", "updating", "edit", "editing", "change", "changing", "modify", "modifying")),
    "make": ("make", ("create", "creating", "open", "opening", "add", "adding", "make", "making")),
}
_KEPT = (
    "must stay unchanged", "must remain unchanged", "must stay as they are", "must stay as it is",
    "must remain as they are", "must remain as it is", "must stay the same", "must remain the same",
    "should stay unchanged", "should remain unchanged", "should stay as they are", "should stay as it is",
    "have to stay as they are", "has to stay as it is", "stay as they are", "stays as it is",
)  # fmt: skip
_NOT_FOR = tuple(f"{verb} not {mine}" for verb in ("is", "are") for mine in ("for", "yours", "up to"))
_DEMANDED = re.compile(
    r"(?:(?:must|should|shall|need to|needs to|have to|has to|are to|is to)(?: always| only)? |"
    r"always |(?:are|is) always )"
    r"(?:be|have|get|go in as|goes in as|start as|start out as|be given|be set to|"
    r"(?:be )?(?:created|added|made|entered) (?:as|with))"
)
_ONLY_BE = ("may only be", "can only be", "may be only", "can be only", "may only ever be", "can only ever be")
_MUST_ONLY_BE = tuple(
    f"{modal} {once} be"
    for modal in ("must", "should", "shall")
    for once in ("only", "only ever", "always", "always only")
)


def sayings(tokens: tuple[Token, ...], known: KnownWords) -> Iterator[OnAttribute]:
    """Yield what a whole sentence says of an attribute, in each way that it can be read."""
    words = Phrases(tokens, known=known)
    for at, calls, thing in _fronts(words):
        found = [*_restricted(words, at), *_asked(words, at), *_passive(words, at), *_kept(words, at)]
        found += [*_only(words, at), *_only_to(tokens, at, known), *_permitted(words, at), *_demanded(words, at)]
        for said, end in found:
            own = said.reference.thing
            if end == words.size and (not thing or own in ((), thing)):
                whole = replace(said.reference, thing=own or thing)
                yield replace(said, reference=whole, calls=said.calls if calls == "any" else calls)


def _fronts(words: Phrases) -> Iterator[tuple[int, Calls, tuple[str, ...]]]:
    """Yield the begin of a sentence, and the position after "when you update a ticket,"."""
    yield 0, "any", ()
    for start in words.after(0, "when you", "whenever you", "if you", "when", "while", "whenever"):
        for calls, verbs in _DOING.values():
            for then in words.after(start, *verbs):
                for thing, middle in things(words, then):
                    for end in words.after(middle, ","):
                        yield end, calls, thing


def _deeds(words: Phrases, at: int, form: Form) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "set the status of an order to cancelled", "give a ticket urgent priority" and "change due dates"."""
    for start in words.after(at, *_CHANGING[form]):
        for reference, end in references(words, start):
            yield OnAttribute(deed="change", reference=reference), end
    for start in words.after(at, *_SETTING[form]):
        yield from _set(words, start)
    for start in words.after(at, *_GIVING[form]):
        for thing, middle in things(words, start):
            yield from _given(words, middle, thing)
    yield from _assigned(words, at, form)
    for start in words.after(at, *_PUTTING[form]):
        yield from _put(words, start)


def _put(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "anyone into the Executive department" after "put", if a schema lists the value."""
    calls: Calls = "any" if words.word(at - 1) in _FIRST else "change"
    found = list(things(words, at))
    found += [((), end) for end in words.after(at, "anyone", "anything", "people")]
    for thing, middle in found:
        said = OnAttribute(deed="set", reference=Reference(thing=thing), calls=calls)
        for start in words.after(middle, "in the", "into the", "to the", "on the"):
            for names, then in values(words, start):
                listed = words.values.issuperset(map(str.lower, names))
                for noun, end in nouns(words, then) if listed else ():
                    yield from _named(said, names, noun, end)


def _set(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "the status to done", "tickets to done" and "a priority of high" after "set"."""
    verb = words.word(at - 1)
    calls: Calls = "any" if verb in _FIRST else "change"
    for reference, middle in references(words, at):
        yield from _to_values(words, middle, OnAttribute(deed="set", reference=reference, calls=calls))
    if verb in {"set", "setting"}:
        for thing, middle in things(words, at):
            yield from _to_values(words, middle, OnAttribute(deed="set", reference=Reference(thing=thing)))
        yield from _of_value(words, at)


def _assigned(words: Phrases, at: int, form: Form) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "assign tickets to priya" and "tag tickets as urgent"."""
    for noun, forms in _TAGGING:
        for thing, middle in (pair for start in words.after(at, *forms[form]) for pair in things(words, start)):
            tagged = OnAttribute(deed="set", reference=Reference(attribute=(noun,), thing=thing))
            yield from _to_values(words, middle, tagged, prepositions=("as", "with"))
    for start in words.after(at, *_ASSIGNING[form]):
        calls: Calls = "change" if words.word(start - 1) in _AGAIN else "any"
        for thing, middle in things(words, start):
            assigned = OnAttribute(deed="assign", reference=Reference(thing=thing), verb="assign", calls=calls)
            yield from _to_values(words, middle, assigned)


def _to_values(
    words: Phrases, at: int, said: OnAttribute, *, prepositions: tuple[str, ...] = ("to", "as")
) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "to urgent", "to the group billing" and "to the billing or tier2 group" after what is set."""
    for start in words.after(at, *prepositions):
        for names, then in values(words, start):
            for noun, end in noun_after(words, then):
                yield from _named(said, names, noun, end)
        for begin in words.optional(start, "the"):
            for noun, then in nouns(words, begin):
                for names, end in values(words, then):
                    yield from _named(said, names, noun, end)


def _named(
    said: OnAttribute, names: tuple[str, ...], noun: tuple[str, ...], end: int
) -> Iterator[tuple[OnAttribute, int]]:
    own = said.reference.attribute
    if not noun or own in ((), noun):
        yield replace(said, names=names, reference=replace(said.reference, attribute=own or noun)), end


def _of_value(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "a priority of Highest" and "the priority Highest" after "set"."""
    for begin in words.after(at, "the", "a", "an"):
        for noun, middle in nouns(words, begin):
            starts = words.after(middle, "of") if words.word(begin - 1) != "the" else ()
            for names, end in (pair for start in starts for pair in values(words, start)):
                yield OnAttribute(deed="set", reference=Reference(attribute=noun), names=names), end
            for names, end in values(words, middle) if _is_value(words, middle) else ():
                yield OnAttribute(deed="set", reference=Reference(attribute=noun), names=names), end


def _is_value(words: Phrases, at: int) -> bool:
    """Return whether a word can only be a value: in quotes, with a capital, or listed by a schema."""
    one = words.tokens[at] if at < words.size else None
    return one is not None and (one.quoted or one.raw[:1].isupper() or one.text in words.values)


def _given(words: Phrases, at: int, thing: tuple[str, ...]) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "urgent priority", "the priority urgent" and "a priority of urgent" after "give a ticket"."""
    for start in words.optional(at, "the", "a", "an"):
        for names, then in values(words, start):
            for noun, end in nouns(words, then):
                yield OnAttribute(deed="set", reference=Reference(attribute=noun, thing=thing), names=names), end
    for said, end in _of_value(words, at):
        yield replace(said, reference=replace(said.reference, thing=thing)), end


def _endings(words: Phrases, at: int, said: OnAttribute) -> Iterator[tuple[OnAttribute, int]]:
    """Yield a prohibition, and a question if it goes on with "without asking me" or the like."""
    yield from ((said, end) for end in touching.ever(words, at))
    yield from ((replace(said, how="ask"), end) for end in touching.unless_agreed(words, at))


def _restricted(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    starts = [end for who in (*words.matches(at, idioms.WHO), at) for end in words.matches(who, idioms.MUST_NOT)]
    starts += words.matches(at, idioms.FORBID_OPENINGS)
    found = [pair for start in dict.fromkeys(starts) for pair in _both_forms(words, start)]
    found += [pair for start in words.matches(at, idioms.NO_ACTION) for pair in _deeds(words, start, "ing")]
    for said, then in found:
        yield from _endings(words, then, said)


def _asked(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    both = partial(_both_forms, words)
    for asked in words.matches(at, idioms.ASK):
        for start in words.matches(asked, idioms.BEFORE):
            yield from ((replace(said, how="ask"), end) for said, end in both(start))
    for start in words.matches(at, idioms.BEFORE):
        for said, then in both(start):
            for asked in words.after(then, ","):
                yield from ((replace(said, how="ask"), end) for end in words.matches(asked, idioms.ASK))


def _permitted(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    starts = [end for who in (*words.matches(at, idioms.WHO), at) for end in words.matches(who, idioms.MAY)]
    for start in dict.fromkeys((*starts, *words.matches(at, idioms.PERMIT_OPENINGS))):
        for said, then in _deeds(words, start, "base"):
            for end in (then, *words.matches(then, idioms.FREELY)):
                yield replace(said, how="permit"), end


def _both_forms(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    yield from _deeds(words, at, "base")
    yield from _deeds(words, at, "ing")


def _judged(words: Phrases, at: int, said: OnAttribute) -> Iterator[tuple[OnAttribute, int]]:
    """Yield what is said after "changing due dates": "is not allowed", "needs my approval"."""
    for verb in words.after(at, "is", "are"):
        for then in words.matches(verb, idioms.BAD):
            yield from _endings(words, then, said)
        yield from ((replace(said, how="ask"), end) for end in words.matches(verb, idioms.ONLY_IF))
    yield from ((said, end) for end in words.matches(at, idioms.NEVER_HAPPENS))
    for end in (*words.matches(at, idioms.NEEDS), *words.matches(at, idioms.ONLY_IF)):
        yield replace(said, how="ask"), end


def _passive(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    """Yield sentences that begin with the attribute, its thing, or with what is done to them."""
    for said, then in _deeds(words, at, "ing"):
        yield from _judged(words, then, said)
    for start in words.after(at, "changes to", "any changes to", "a change to", "any change to", "edits to"):
        for reference, then in references(words, start):
            yield from _judged(words, then, OnAttribute(deed="change", reference=reference))
    for none in (False, True):
        modals = idioms.MAY_BE if none else idioms.MUST_NOT_BE
        for start in words.after(at, "no") if none else (at,):
            for reference, middle in references(words, start):
                for then in words.after(middle, *modals):
                    for said, end in _done(words, then, reference):
                        yield from _endings(words, end, said)


def _done(words: Phrases, at: int, reference: Reference) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "changed", "set to closed" and "assigned to priya" after "must not be"."""
    for end in words.after(at, *_CHANGING["ed"]):
        yield OnAttribute(deed="change", reference=reference), end
    whole = Reference(thing=(*reference.thing, *reference.attribute))
    for start in words.after(at, *_SETTING["ed"]):
        calls: Calls = "any" if words.word(start - 1) in _FIRST else "change"
        yield from _to_values(words, start, OnAttribute(deed="set", reference=reference, calls=calls))
        if start == at + 1 and words.word(at) == "set" and not reference.thing:
            yield from _to_values(words, start, OnAttribute(deed="set", reference=whole))
    for start in words.after(at, *_ASSIGNING["ed"]) if not reference.thing else ():
        calls = "change" if words.word(start - 1) in _AGAIN else "any"
        assigned = OnAttribute(deed="assign", reference=whole, verb="assign", calls=calls)
        yield from _to_values(words, start, assigned)


def _kept(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "leave prices alone", "prices must stay as they are" and "prices are not for you to change"."""
    for start in words.matches(at, idioms.LEAVE):
        for reference, then in references(words, start):
            yield from (
                (OnAttribute(deed="change", reference=reference), end) for end in words.matches(then, idioms.ALONE)
            )
    for reference, middle in references(words, at):
        yield from ((OnAttribute(deed="change", reference=reference), end) for end in words.after(middle, *_KEPT))
        for start in words.after(middle, *_NOT_FOR):
            for who in (start, *words.matches(start, idioms.WHO)):
                for then in words.after(who, "to"):
                    ends = words.after(then, *_CHANGING["base"])
                    yield from ((OnAttribute(deed="change", reference=reference), end) for end in ends)


def _only(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "only assign tickets to priya" and "priorities may only be set to low"."""
    for start in words.after(at, "only", "you may only", "you can only", "only ever"):
        for said, end in _deeds(words, start, "base"):
            if said.names:
                yield replace(said, how="only", permits=True), end
    for modals, permits in ((_ONLY_BE, True), (_MUST_ONLY_BE, False)):
        for reference, middle in references(words, at):
            for then in words.after(middle, *modals):
                for said, end in _done(words, then, reference):
                    if said.names:
                        yield replace(said, how="only", permits=permits), end


def _demanded(words: Phrases, at: int) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "new products must be drafts" and "new servers must be of type cx22": each has one of the values."""
    for start in words.after(at, "new", "any new", "every new", "all new", "each new", "a new"):
        for thing, middle in things(words, start):
            said = OnAttribute(deed="set", reference=Reference(thing=thing), how="only", calls="make", demands=True)
            for then in words.matches(middle, _DEMANDED):
                for begin in words.optional(then, "of", "the", "a", "an", "of the", "in", "in the", "on the", "at the"):
                    for names, value in values(words, begin):
                        for noun, end in noun_after(words, value):
                            yield from _named(said, names, noun, end)
                    for noun, value in nouns(words, begin):
                        for names, end in (pair for one in words.optional(value, "of") for pair in values(words, one)):
                            yield from _named(said, names, noun, end)


def _only_to(tokens: tuple[Token, ...], at: int, known: KnownWords) -> Iterator[tuple[OnAttribute, int]]:
    """Yield "assign tickets only to priya or tom"."""
    only = [place for place, one in enumerate(tokens[:-1]) if one.text == "only"]
    if len(only) == 1 and tokens[only[0] + 1].text in {"to", "as"} and at == 0:
        words = Phrases((*tokens[: only[0]], *tokens[only[0] + 1 :]), known=known)
        for start in words.optional(at, "you may", "you can"):
            for said, end in _deeds(words, start, "base"):
                if said.names and end == words.size:
                    yield replace(said, how="only", permits=True), len(tokens)
