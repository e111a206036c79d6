"""Parses verb phrases of ordinary sentences. Every word must be consumed, and every reading is returned.

A phrase has verbs, objects, and qualifiers such as places and recipients. A word that no rule of the grammar consumes
makes the phrase unreadable, so no word is ever ignored.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames.qualifying import Qualifiers
from retouch.recipes.policy.english.limits import choosing, counting_rates, name_patterns
from retouch.recipes.policy.english.limits.name_patterns import FILES
from retouch.recipes.policy.english.tools.known_tools import PEOPLE
from retouch.recipes.policy.english.words import lexicon, marks, rates
from retouch.recipes.policy.english.words.acts import ANYTHING, WEB, Act, Qualifier, QualifierKind, Thing, count_of
from retouch.recipes.policy.english.words.naming import Form, nouns_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES_OF_ANY_KIND = Thing(nouns=("file",), raw=("files",))  # a permission for them needs a place
_PERSONS = frozenset({"people", "persons", "others"})
_JOINTS = (", and", ", or", ",", "and", "or", "and then", "and also")
_VISITING = frozenset({"visit", "fetch", "open", "browse", "go to", "navigate to", "get", "read"})


class Phrases(Qualifiers):
    """The verb phrases of one sentence, and their qualifiers."""

    def acts(self, at: int, form: Form) -> Iterator[tuple[tuple[Act, ...], int]]:
        """Yield verb phrases, and lists of them: `look at my calendar and add events to it`."""
        for act, then in self.act(at, form):
            yield (act,), then
            target = target_of(act)
            if (not act.things and target is None) or act.exceptions:
                continue
            for more in self.after(then, *_JOINTS):
                before, self.antecedent = self.antecedent, target or self.antecedent
                again = self.after(more, "to") if form == "base" and self.word(more - 1) != "," else ()
                following = [pair for start in (more, *again) for pair in self.acts(start, form)]
                self.antecedent = before
                for rest, end in following:
                    # Without "and" or "or" the next phrase is a new command: "do not reply to comments, hide them".
                    if self.word(more - 1) != "," or len(rest) > 1:
                        yield (act, *rest), end

    def act(self, at: int, form: Form) -> Iterator[tuple[Act, int]]:
        """Yield a verb phrase with one list of objects."""
        yield from self._marked_as(at, form)
        for verbs, then in self.verb_list(at, form):
            for objects, middle in self._objects(then):
                for qualifiers, end in self.qualifiers(middle):
                    things = _one_by_name(objects, qualifiers)
                    sent = _to_people(verbs, things, qualifiers)
                    whole = Act(verbs=sent, things=things, qualifiers=qualifiers)
                    yield from self.with_exceptions(whole, end)
            for whole, end in self.of_typed_files(verbs, then):
                yield from self.with_exceptions(whole, end)
            for same, noun in counting_rates.same_object(self, then):
                for things, middle in self.things(noun):
                    for qualifiers, end in self.qualifiers(middle):
                        yield Act(verbs=verbs, things=things, qualifiers=(same, *qualifiers)), end
            yield from self._visits(verbs, then)
            yield from self._places_themselves(verbs, then)
            yield from self._so_many(verbs, then)
            for bound, number, start in rates.quantities(self, then):
                yield from self._counted(verbs, start, count_of(bound, number))
        yield from self._uses(at, form)

    def of_typed_files(self, verbs: tuple[str, ...], at: int) -> Iterator[tuple[Act, int]]:
        """Yield verbs with "PDF files" and "a file ending in .pem" as their object."""
        for kinds, middle in choosing.typed_files(self, at):
            for qualifiers, end in self.qualifiers(middle):
                yield Act(verbs=verbs, things=(FILES_OF_ANY_KIND,), qualifiers=(kinds, *qualifiers)), end

    def _so_many(self, verbs: tuple[str, ...], at: int) -> Iterator[tuple[Act, int]]:
        """Yield "delete more than 20 rows at once": the object is a number of things."""
        for size, middle in self.amount(at):
            if size.word in self.common - PEOPLE:
                thing = Thing(nouns=(size.word,), raw=(size.word,))
                for qualifiers, end in self.qualifiers(middle):
                    whole = Act(verbs=verbs, things=(thing,), qualifiers=(size, *qualifiers))
                    yield from self.with_exceptions(whole, end)

    def _marked_as(self, at: int, form: Form) -> Iterator[tuple[Act, int]]:
        """Yield "mark a task as done" and "give an issue the priority urgent"."""
        found = [(start, marks.marks) for start in marks.marking(self, at, form)]
        found += [(start, marks.properties) for start in marks.giving(self, at, form)]
        for start, ending in found:
            for things, then in self.things(start):
                for verbs, middle in ending(self, then):
                    for qualifiers, end in self.qualifiers(middle):
                        yield from self.with_exceptions(Act(verbs=verbs, things=things, qualifiers=qualifiers), end)

    def _counted(self, verbs: tuple[str, ...], at: int, count: Qualifier) -> Iterator[tuple[Act, int]]:
        """Yield "send at most 3 emails per day": the number stands before its object."""
        for things, middle in self.things(at):
            if self.word(middle - 1) in _PERSONS:
                continue  # one call can be about several of them
            for qualifiers, end in self.qualifiers(middle):
                if any(one.kind == "per" for one in qualifiers):
                    yield from self.with_exceptions(
                        Act(verbs=verbs, things=things, qualifiers=(*qualifiers, count)), end
                    )

    def _places_themselves(self, verbs: tuple[str, ...], at: int) -> Iterator[tuple[Act, int]]:
        """Yield "search ~/src" and "look through ~/src": the object is a directory."""
        if all(one in lexicon.VERBS and lexicon.VERBS[one].deeds for one in verbs):
            for names, end in (
                pair for start in self.optional(at, "the file", "the files") for pair in self.folders(start)
            ):
                place = Qualifier(kind="inside", word="in", names=names)
                yield from self.with_exceptions(Act(verbs=verbs, things=(ANYTHING,), qualifiers=(place,)), end)

    def _visits(self, verbs: tuple[str, ...], at: int) -> Iterator[tuple[Act, int]]:
        """Yield "visit example.com": the object is a host."""
        for sites, middle in self.sites(at) if set(verbs) <= _VISITING else ():
            site = Qualifier(kind="sites", word="from", names=sites)
            yield from self.with_exceptions(Act(verbs=verbs, things=(WEB,), qualifiers=(site,)), middle)

    def _uses(self, at: int, form: Form) -> Iterator[tuple[Act, int]]:
        """Yield "use the tools of billing" and "do anything in Linear"."""
        for then in self._work(at, form):
            for qualifiers, end in self.qualifiers(then):
                if qualifiers:
                    whole = Act(verbs=("use",), things=(ANYTHING,), qualifiers=qualifiers)
                    yield from self.with_exceptions(whole, end)
        for then in self.after(at, {"base": "use", "ing": "using", "ed": "used", "s": "uses"}[form]):
            for objects, middle in self.things(then):
                for qualifiers, end in self.qualifiers(middle):
                    yield from self.with_exceptions(Act(verbs=("use",), things=objects, qualifiers=qualifiers), end)

    def _work(self, at: int, form: Form) -> Iterator[int]:
        forms = {"base": ("work", "do anything", "do everything", "do whatever you need", "do whatever you like")}
        forms |= {"ing": ("working", "doing anything"), "ed": (), "s": ()}
        yield from self.after(at, *forms[form])

    def _objects(self, at: int) -> Iterator[tuple[tuple[Thing, ...], int]]:
        yield (), at
        yield from self.things(at)

    def with_exceptions(self, act: Act, at: int) -> Iterator[tuple[Act, int]]:
        """Yield a phrase, and the phrase with the exceptions that follow it."""
        yield act, at
        yield from self.everywhere_but(act, at)
        start = next(iter(self.after(at, ",")), at)
        for then in self.after(start, "except for", "except that you must not", "except", "other than", "but not"):
            phrases = (
                self.word(then - 1) != "not" or self.word(then - 2) == "must"
            )  # "but not push" is a part of its own
            for exception, end in self._exception(act, then, phrases=phrases):
                yield replace(act, exceptions=exception), end

    def _excepted_places(self, act: Act, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
        for names, end in (*self.folders(at), *self._names(at, self._email)):
            kind: QualifierKind = "emails" if "@" in names[0] else "inside"
            yield (Qualifier(kind=kind, word="in", names=names),), end
        for names, end in self.sites(at) if act.verbs and set(act.verbs) <= _VISITING else ():
            yield (*act.qualifiers, Qualifier(kind="sites", word="from", names=names)), end

    def _excepted_values(self, act: Act, at: int) -> Iterator[tuple[tuple[Act, ...], int]]:
        """Yield "the balance sheet", if it is a value that the schema of a tool lists."""
        for values, end in self._names(next(iter(self.after(at, "the")), at), self.value_in_schema):
            value = Qualifier(kind="value", names=values)
            yield (replace(act, things=_each_of(act), qualifiers=(*act.qualifiers, value)),), end

    def _excepted_qualifiers(self, act: Act, at: int, *, phrases: bool) -> Iterator[tuple[tuple[Act, ...], int]]:
        again = {form for thing in act.things if thing.raw for form in (thing.raw[-1].lower(), f"{thing.raw[-1]}s")}
        for start in self.optional(at, "those", "ones", "the ones", "those that are", "those which are", *again):
            for qualifiers, end in self.qualifiers(start):
                other = phrases or any(one.kind != "value" for one in qualifiers)  # "not as docx" is a part of its own
                if qualifiers and other:
                    named = name_patterns.of_noun(qualifiers, act.things[-1].nouns if act.things else ())
                    yield (replace(act, things=_each_of(act), qualifiers=_of_same_noun(act, named)),), end
        nouns = act.things[-1].nouns if act.things else ()
        branches = name_patterns.excepted_branches(self, at) if nouns[-1:] == ("branch",) else ()
        for one, end in (*choosing.names_except(self, at, nouns), *branches):
            yield (replace(act, things=_each_of(act), qualifiers=(one,)),), end

    def _exception(self, act: Act, at: int, *, phrases: bool) -> Iterator[tuple[tuple[Act, ...], int]]:
        yield from self._excepted_qualifiers(act, at, phrases=phrases)
        for place, end in self._excepted_places(act, at):
            yield (replace(act, qualifiers=place),), end
        yield from self._excepted_values(act, at)
        for value, end in self.hashed(at):
            yield (replace(act, things=_each_of(act), qualifiers=(*act.qualifiers, value)),), end
        for form in ("base", "ing") if phrases else ():
            for acts, end in self.acts(at, form):
                if not any(one.exceptions for one in acts):
                    scope = tuple(replace(one, qualifiers=(*one.qualifiers, *act.qualifiers)) for one in acts)
                    yield scope, end
        for things, end in self.things(at):
            if ANYTHING not in things and not any(set(one.nouns) <= lexicon.CONTENTS for one in things):
                yield (replace(act, things=things),), end


def _each_of(act: Act) -> tuple[Thing, ...]:
    """Return the objects of a phrase, with "all files" as any file: an exception is one for each of them."""
    return tuple(replace(one, amount="any") if one.amount == "all" else one for one in act.things)


def _of_same_noun(act: Act, excepted: tuple[Qualifier, ...]) -> tuple[Qualifier, ...]:
    """Return "in Private" with the noun of "in the calendars Work and Team", which it is an exception of."""
    nouns = {one.arg or one.word for one in act.qualifiers if one.kind == "named" or (one.kind == "chosen" and one.arg)}
    if len(nouns) != 1 or [(one.kind, one.arg) for one in excepted] != [("chosen", "")]:
        return excepted
    return (replace(excepted[0], arg=nouns.pop()),)


def _one_by_name(things: tuple[Thing, ...], qualifiers: tuple[Qualifier, ...]) -> tuple[Thing, ...]:
    """Return objects with the last one in the singular if names follow it: "the calendars work and family"."""
    if not things and qualifiers and qualifiers[0].kind == "chosen" and not qualifiers[0].word and qualifiers[0].arg:
        nouns = tuple(qualifiers[0].arg.split())
        return (Thing(nouns=nouns, raw=nouns),)  # "open port 22" opens a port
    chosen = qualifiers[:1] and qualifiers[0].kind == "named" and things and things[-1].nouns == (qualifiers[0].word,)
    return (*things[:-1], replace(things[-1], raw=things[-1].nouns)) if chosen else things


def _to_people(verbs: tuple[str, ...], things: tuple[Thing, ...], qualifiers: tuple[Qualifier, ...]) -> tuple[str, ...]:
    """Return verbs with `send` for `write`, if something is written to somebody: "never write to bob@acme.example"."""
    somebody = any(
        "emails" in {one.kind, one.word}
        or (one.kind == "about" and (not one.names or (one.word == "to" and nouns_of(one.names)[-1] not in FILES)))
        or (one.kind in {"chosen", "named", "bare"} and "to" in {one.word, one.arg})
        for one in qualifiers
    ) and all(set(one.nouns) <= {"email", "message"} for one in things)
    return tuple("send" if one == "write" and somebody else one for one in verbs)


def target_of(act: Act) -> Thing | None:
    """Return the object that `them` and `it` stand for after an act. None if there is none."""
    limited = bool(act.exceptions) or any(one.kind not in {"about", "count", "per", "time"} for one in act.qualifiers)
    if act.things and act.things[-1] != ANYTHING:
        return replace(act.things[-1], is_limited=limited or act.things[-1].is_limited)
    names = [one.names for one in act.qualifiers if one.kind == "about" and one.names]
    return Thing(nouns=nouns_of(names[-1]), raw=names[-1], is_limited=limited) if names else None
