"""Reads a sentence by its words, whatever their order: the tools that explain each word, the argument for each value.

The frames know the orders of the parts of a sentence. One that fits no frame is read here: it has one stance, such as
"you may", "must never be" or "needs my approval", verbs, nouns, values, and amounts. A tool is meant if its names and
descriptions explain every verb and noun, and each value must be tested by one of its arguments. A word that nothing
explains makes the sentence unreadable, so no word is ignored. What the sentence then permits or restricts is decided as
for any other one, and the reading is compared with the words again.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.limits import choosing
from retouch.recipes.policy.english.limits.argument_tests import chosen_verb
from retouch.recipes.policy.english.limits.binding import PERSONS
from retouch.recipes.policy.english.ordinary.meaning import Resolver, meaning_of
from retouch.recipes.policy.english.tools.act_facts import words_of
from retouch.recipes.policy.english.tools.described_things import only_finds
from retouch.recipes.policy.english.tools.known_tools import MAKING, nouns_of_argument, split_name
from retouch.recipes.policy.english.tools.toolbox import verb_fits
from retouch.recipes.policy.english.words import clock_times, idioms, lexicon
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Qualifier, Statement, Thing
from retouch.recipes.policy.english.words.lexicon import VERBS, VerbMeaning, singular, word_set
from retouch.recipes.policy.english.words.naming import PREPOSITIONS
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.tokens import Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Level, Toolbox
    from retouch.recipes.policy.english.words.acts import Stance
    from retouch.recipes.policy.english.words.naming import Form
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
    from retouch.recipes.policy.language.values import Limit

MAX_READINGS = 400
_SMALL = word_set("the a an of to in on for with from at into onto as is are be any and or , anything something")
_MAY_BE = re.compile(r"(?:may|can|could)(?: also| always)? be")
_MAY_ONLY_BE = re.compile(r"(?:may|can|could|must|should) (?:only be|be only)")
_MUST_NOT_BE = re.compile(r"(?:must|may|can|should|shall) (?:not|never)(?: ever)? (?:be|get)")
_IS = re.compile(r"(?:is|are)(?: always| strictly)?")
_NOT_FINE = re.compile(r"(?:not|never) (?:allowed|permitted|ok|fine|acceptable)|forbidden|prohibited|banned|off limits")
_AS_YOU_LIKE = re.compile(rf"{idioms.FREELY.pattern}|(?:what|whatever) you (?:want|like|need|wish)")
_BOUNDED = re.compile(r"(?:must|may|should|can|shall) (?:not|never) (?:be|have|cost|last|contain|bill|go|take|use)?")
_EXCEPT = ("except", "except for", "apart from", "other than")
_UNLESS = ("unless it goes", "unless they go", "unless it is", "unless they are")  # of a prohibition: does it permit?
_MUST = re.compile(
    r"(?:must|has to|have to|should|shall)(?: always| all| only)? "
    r"(?:be|have|use|contain|start with|begin with|come from)"
)
_STARTS = re.compile(
    r"(?:(?:whose|with) names? |that |which )?(?:start|starts|starting|begin|begins|beginning) with(?: the letter)?"
)
_OUTSIDE = ("outside", "outside of", "that do not come from", "that are not in", "that is not in", "not in")
_KINDS = frozenset(
    {"inside", "outside", "sites", "emails", "branches", "like", "named", "amount", "value", "chosen", "flag", "time"}
)
_NO_WORDS = word_set(
    "outside up except not never no nothing nobody none nor neither only but unless without if when while until before "
    "after then than all every each some most many few several more less least first second again already still own "
    "same such so too because since also always ever even just must may can could shall should will would need "
    "needs have has do does i me we us you he she who whom whose what where how there here this these those one "
    "ones other others another"
)
_PAYING = word_set("transfer wire")
_SERVING = word_set("refund message text email call notify charge bill credit reimburse pay")  # somebody
_LIGHT = word_set("do make take perform carry use")
_GIVING = _LIGHT | word_set("give book place put have issue grant hand")  # "give a credit" makes one
_MAKING = MAKING | word_set("start run post add write open schedule")
_AS_VERBS = {"text": "sms", "dm": "message"}
_MODALS = word_set("may can could must should shall")
_MAIL_OF = {"message": frozenset({"email"}), "email": frozenset({"message"})}
_ELLIPTICAL = word_set("is are does do not too either")  # as last words of what other words of the sentence say
_FORMS: tuple[Form, ...] = ("base", "ing", "ed")


@dataclass(frozen=True, kw_only=True)
class _Slots:
    """What a part of a sentence says, without the order of its words."""

    verbs: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    qualifiers: tuple[Qualifier, ...] = ()
    excepted: tuple[Qualifier, ...] = ()

    def demanded(self) -> _Slots:
        """Return "created as drafts" after "must be": everything else is what a prohibition is about."""
        return replace(self, qualifiers=(), excepted=self.qualifiers)

    def __add__(self, other: _Slots) -> _Slots:
        return _Slots(
            verbs=self.verbs + other.verbs,
            nouns=self.nouns + other.nouns,
            qualifiers=self.qualifiers + other.qualifiers,
            excepted=self.excepted + other.excepted,
        )


def matched(
    tokens: tuple[Token, ...], toolbox: Toolbox
) -> tuple[dict[Meaning, list[tuple[Statement, ...]]], list[str]]:
    """Return the different meanings of a sentence by its words with their readings, and why others make no sense.

    "Force pushes" can be pushes with a flag, or pushes of a tool that also speaks of force: the reading with the most
    values counts, and with the most that have a noun.
    """
    found: dict[int, dict[Meaning, list[tuple[Statement, ...]]]] = {}
    whys: list[str] = []
    if tokens and tokens[-1].text in _ELLIPTICAL:
        return {}, []
    made = {one.head for one in toolbox.tools if one.head and one.verbs <= _MAKING}
    words = Phrases(_plainer(tokens), known=replace(toolbox.words, verbs=toolbox.words.verbs | made | _AS_VERBS.keys()))
    for statement in islice(_statements(words) if not _has_inner_time(words) else (), MAX_READINGS):
        act = statement.acts[0]
        try:
            meaning = meaning_by_words((statement,), toolbox)
        except Unclear as error:
            whys.append(error.why)
            continue
        values = (*act.qualifiers, *(one for other in act.exceptions for one in other.qualifiers))
        found.setdefault(sum(2 + bool(one.arg) for one in values), {}).setdefault(meaning, []).append((statement,))
    return found[max(found)] if found else {}, whys


def meaning_by_words(reading: tuple[Statement, ...], toolbox: Toolbox) -> Meaning:
    """Return the meaning of statements that were read by words.

    Raises:
        Unclear: no tool explains the words of one, or its values cannot be tested.
    """
    meaning = meaning_of(reading, toolbox, lenient=False, resolving=_ByWords)
    if any(_clashes(part, toolbox) for part in (*meaning.allow, *meaning.ask, *meaning.never, *meaning.excepted)):
        raise Unclear("no call has both values in one argument")
    return meaning


def _clashes(part: ToolPart, toolbox: Toolbox) -> bool:
    """Return whether one argument would have to be two names, so that no call is meant."""
    (spec,) = (one.tool.args for one in toolbox.tools if one.key == (part.server, part.tool))
    named = [one for one in part.where if one.among or one.like]
    args = [[one.arg] if one.arg else [arg for arg in spec if one.role in spec[arg].all_roles] for one in named]
    return any(one == other for one, other in combinations(args, 2))


def _plainer(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "transfer money out of Savings" with "from", and "may go to" with "may be sent to"."""
    for at in reversed(range(len(tokens) - 1)):
        pair = [one.text for one in tokens[at : at + 2]]
        modal = not _MODALS.isdisjoint(one.text for one in tokens[max(0, at - 2) : at])
        other = ("from",) if pair == ["out", "of"] else ("be", "sent", "to") if pair == ["go", "to"] and modal else ()
        if other:
            tokens = (*tokens[:at], *(Token(text=word, raw=word) for word in other), *tokens[at + 2 :])
    return tokens


def _statements(words: Phrases) -> Iterator[Statement]:
    for stance, only, parts in _stances(words):
        demands = stance == "forbid" and only
        bag = _Bag(words, stance, every=stance == "permit" or demands)
        for slots in bag.slots(parts, demands=demands):
            if (slots.verbs or slots.nouns) and (stance == "forbid" or not (only and slots.excepted)):
                nouns = tuple(dict.fromkeys(slots.nouns))
                things = (Thing(nouns=nouns, raw=nouns, amount="any"),) if nouns else (ANYTHING,)
                act = Act(verbs=slots.verbs, things=things, qualifiers=slots.qualifiers)
                excepted = tuple(replace(act, qualifiers=(one,)) for one in slots.excepted)
                yield Statement(
                    stance=stance, acts=(replace(act, exceptions=excepted),), only=only and stance == "permit"
                )


def _has_inner_time(words: Phrases) -> bool:
    """Return whether another action is joined to a time: "never post on weekends or reply". On weekends, or ever?"""
    ends = {end for at in range(words.size) for _, end in clock_times.times(words, at)}
    then = (start for end in ends for start in words.after(end, "or", "and", "nor", ",", ", or", ", and"))
    return any(True for start in then for form in _FORMS for _ in words.verb(start, form))


def _stances(words: Phrases) -> Iterator[tuple[Stance, bool, tuple[range, ...]]]:
    """Yield what a sentence says of its rest, whether it says "only" or "must be", and the parts that are the rest."""
    end = words.size
    whos = (0, *words.matches(0, idioms.WHO))
    openings: tuple[tuple[Stance, list[int]], ...] = (
        ("forbid", [then for who in whos for then in words.matches(who, idioms.MUST_NOT)]),
        ("forbid", [*words.matches(0, idioms.FORBID_OPENINGS)]),
        ("permit", [then for who in whos[1:] for then in words.matches(who, idioms.MAY)]),
        ("permit", [*words.matches(0, idioms.PERMIT_OPENINGS)]),
        ("ask", [then for asked in words.matches(0, idioms.ASK) for then in words.matches(asked, idioms.BEFORE)]),
    )
    for stance, starts in openings:
        for start in starts:
            limited = stance == "permit" and words.word(start) == "only"
            yield stance, limited, (range(start + limited, end),)
    for start in words.after(0, "only"):
        yield "permit", True, (range(start, end),)
    for at in range(1, end) if next(words.verb(0, "base"), None) is not None else ():
        for then in words.matches(at, _AS_YOU_LIKE):
            yield "permit", False, (range(at), range(then, end))
    for at in range(1, end):
        for stance, only, then in _verdicts(words, at):
            yield stance, only, (range(at), range(then, end))


def _verdicts(words: Phrases, at: int) -> Iterator[tuple[Stance, bool, int]]:
    """Yield what the words at a position say of what is before and after them: "must not be", "need my approval"."""
    patterns: tuple[tuple[re.Pattern[str], Stance, bool], ...] = (
        (_MUST_NOT_BE, "forbid", False),
        (_BOUNDED, "forbid", False),
        (_MUST, "forbid", True),
        (_MAY_ONLY_BE, "permit", True),
        (_MAY_BE, "permit", False),
        (idioms.NEEDS, "ask", False),
    )
    for pattern, stance, only in patterns:
        for then in words.matches(at, pattern):
            if stance != "permit" or next(words.verb(then, "ed"), None) is not None:  # "can be pending" permits nothing
                yield stance, only, then
    for then in words.matches(at, _IS):
        for more in words.matches(then, _NOT_FINE):
            yield "forbid", False, more
        for more in words.matches(then, idioms.FINE):
            yield "permit", False, more


class _Bag:
    """The words of the rest of a sentence, as verbs, nouns and values in any order."""

    def __init__(self, words: Phrases, stance: Stance, *, every: bool) -> None:
        self.words = words
        self.small = _SMALL | word_set("all every each" if every else "")
        self.exceptions = (*_EXCEPT, *(_OUTSIDE if stance != "permit" else ()), *(_UNLESS if stance == "ask" else ()))

    def slots(self, parts: tuple[range, ...], *, demands: bool) -> Iterator[_Slots]:
        """Yield the ways to read all parts. A word that can be nothing ends a reading.

        `demands`: what is in the last part must be.
        """
        (first, *more) = parts
        for one in self._read(first.start, first.stop, excepted=None):
            for last in self._read(more[0].start, more[0].stop, excepted=None) if more else (_Slots(),):
                if not demands:
                    yield one + last
                elif len(last.qualifiers) == 1 and not (one.excepted or last.excepted):
                    yield one + last.demanded()

    def _read(self, at: int, end: int, *, excepted: str | None) -> Iterator[_Slots]:
        """Yield the ways to read a part. `excepted` is the noun before "except", None before that."""
        if at >= end:
            yield _Slots()
            return
        for then in self.words.after(at, *self.exceptions) if excepted is None else ():
            noun = singular(self.words.word(at - 1)) if at else ""
            yield from (rest for rest in self._read(then, end, excepted=noun) if rest.excepted)
        for one, then in self._qualified(at, end, excepted=excepted):
            slots = _Slots(qualifiers=(one,)) if excepted is None else _Slots(excepted=(one,))
            yield from (slots + rest for rest in self._read(then, end, excepted=excepted))
        if self.words.word(at) in self.small:
            yield from self._read(at + 1, end, excepted=excepted)
        elif self._is_content(at, end):
            yield from self._named(at, end, excepted=excepted)

    def _named(self, at: int, end: int, *, excepted: str | None) -> Iterator[_Slots]:
        """Yield a verb, and a noun with the words before it: "shipping address". An exception is a value."""
        verbs = dict.fromkeys(pair for form in _FORMS for pair in self.words.verb(at, form))
        for verb, then in verbs if excepted is None else ():
            if then <= end:
                yield from (_Slots(verbs=(verb,)) + rest for rest in self._read(then, end, excepted=None))
        then = next(place for place in range(at + 1, end + 1) if not self._is_content(place, end))
        noun = " ".join(singular(self.words.word(place)) for place in range(at, then))
        if excepted is None or noun in self.words.given:
            yield from (_Slots(nouns=(noun,)) + rest for rest in self._read(then, end, excepted=excepted))

    def _is_content(self, at: int, end: int) -> bool:
        word = self.words.word(at) if at < end else ""
        if word.endswith("ly") and next(choosing.flags(self.words, at), None) is not None:
            return False
        return re.fullmatch(r"[a-z][a-z_-]*", word) is not None and word not in _NO_WORDS | self.small

    def _qualified(self, at: int, end: int, *, excepted: str | None) -> Iterator[tuple[Qualifier, int]]:
        """Yield the values and amounts at a position: as the frames read them, and names alone beside their noun."""
        words = self.words
        before = dict.fromkeys(singular(words.word(place)) for place in range(at) if words.word(place))
        prep = words.word(at - 1) if at and words.word(at - 1) in PREPOSITIONS else ""
        listed = ((replace(one, arg=prep), then) for one, then in choosing.listed_values(words, at, joined=True))
        for one, then in (*words.qualifier(at), *choosing.flags(words, at), *listed):
            counted = one.kind == "amount" and not one.word and self._is_content(then, end)  # "more than 3 rooms"
            fits = one.kind in _KINDS and not one.only and then <= end and not counted
            if fits and _NO_WORDS.isdisjoint(map(str.lower, one.names)):
                yield one, then
                if one.kind == "amount" and not one.arg:
                    yield from ((replace(one, arg=noun), then) for noun in before if noun in words.units)
        yield from self._started(at, end, before)
        beside = {singular(words.word(at - 1)) if at else "", excepted or ""}
        named = sorted(words.proper_names(at), key=lambda one: one[1])[-1:] if at else []
        for names, then in named:
            for noun in ("", *sorted(beside & words.given)):
                if then <= end:
                    yield Qualifier(kind="chosen", word="" if noun else prep, arg=noun, names=names), then

    def _started(self, at: int, end: int, before: Iterable[str]) -> Iterator[tuple[Qualifier, int]]:
        """Yield "whose name starts with prod-", and "v" after "must start with"."""
        words = self.words
        said = [*words.after(at - 2, "start with", "begin with")] if at >= 2 else []
        starts = [*words.matches(at, _STARTS), *(more for then in said for more in words.optional(then, "the letter"))]
        for then in starts:
            one = words.tokens[then] if then < end else None
            if one is not None and (one.quoted or re.fullmatch(r"[A-Za-z0-9][\w./-]*", one.raw)):
                for noun in (noun for noun in before if noun in words.given | words.choices):
                    yield Qualifier(kind="chosen", arg=noun, names=(f"{one.raw}*",)), then + 1


class _ByWords(Resolver):
    """Finds the tools that explain all words of an act."""

    def _tools(self, act: Act, level: Level, *, places: bool) -> Iterator[tuple[KnownTool, str, tuple[Limit, ...]]]:
        del places
        own = [verb for verb in act.verbs if self._is_own(verb, act.things[0])]
        own += [verb for verb in act.verbs if verb in _PAYING and any(verb in one.verbs for one in self.toolbox.tools)]
        tools = [one for one in self.toolbox.tools if not own or not one.verbs.isdisjoint(own)]
        found = [(one, verb) for one in tools for verb in self._verbs(one, act, level)[:1]]
        chosen = {one: each for one in self.toolbox.tools for each in [self._chosen(one, act)] if each}
        found = [(one, verb) for one, verb in found if one not in chosen]
        done = {verb for one, _ in found for verb in self._verbs(one, act, level)}
        done |= {verb for each in chosen.values() for verb in each}
        lost = [verb for verb in act.verbs if verb not in done | (_GIVING if chosen else _LIGHT)]
        if lost or not (found or chosen):
            raise Unclear(f"no tool here does this: {(lost or [words_of(act)])[0]}")
        yield from ((one, verb, ()) for one, verb in found)
        for one, each in chosen.items():
            yield from ((one, verb, (limit,)) for verb, limit in each.items())

    def _chosen(self, one: KnownTool, act: Act) -> Mapping[str, Limit]:
        """Return the tests of "unlock" and "sell" for a tool that has such a value of an argument, by verb.

        All other words have to be explained by what the tool and its arguments say about themselves.
        """
        nouns = act.things[0].nouns
        if one.reads or one.code or one.deletes_parts_of(nouns):
            return {}
        said = set(act.verbs) if set(act.verbs) - _GIVING else {word for noun in nouns for word in noun.split()[:1]}
        tests = {word: chosen_verb(one, word) for word in sorted(said - one.verbs)}
        found = {word: limit for word, limit in tests.items() if limit is not None}
        known = _said(one) | one.described_words | self._tested(one, act) | found.keys()
        return found if known.issuperset(word for noun in nouns for word in noun.split()) else {}

    def _is_own(self, verb: str, thing: Thing) -> bool:
        return self.toolbox.is_exact(verb, thing) or self.toolbox.is_specific(verb, thing)

    def _certain(self, act: Act) -> frozenset[tuple[str, str]]:
        found = (one for one in self.toolbox.tools if self._chosen(one, act) or self._verbs(one, act, "surely"))
        return frozenset(one.key for one in found)

    def _verbs(self, one: KnownTool, act: Act, level: Level) -> list[str]:
        """Return the verbs of an act that a tool does to its objects. `""` for an amount without a verb."""
        nouns = act.things[0].nouns
        tested = self._tested(one, act)
        explained = all(noun in _said(one) or noun in tested for noun in nouns)
        if explained and one.verbs <= _MAKING and one.head in {_AS_VERBS.get(verb, verb) for verb in act.verbs}:
            return [verb for verb in act.verbs if _AS_VERBS.get(verb, verb) == one.head]
        if not explained or not (one.code or _is_about(one, nouns, tested, level)):
            return []
        done = [verb for noun in nouns for verb in (lexicon.NOMINAL.get(noun), lexicon.ACTIONS.get(noun)) if verb]
        verbs = [*act.verbs, *([] if set(act.verbs) - _LIGHT else done)]
        known = {
            verb: VERBS.get(verb) or VerbMeaning(surely=frozenset({verb}), perhaps=frozenset({verb})) for verb in verbs
        }
        found = [verb for verb in verbs if verb not in _LIGHT and verb_fits(one, verb, known[verb], level)]
        found = [verb for verb in found if level == "perhaps" or not only_finds(one, verb, nouns)]
        found += [verb for verb in verbs if verb in {"run", "execute"} and one.code and verb not in found]
        found = found or (list(act.verbs) if _is_given(one, act, nouns) else [])
        bounded = not act.verbs and level == "perhaps" and any(each.kind == "amount" for each in act.qualifiers)
        return found or ([""] if bounded and not one.reads else [])

    def _tested(self, one: KnownTool, act: Act) -> frozenset[str]:
        """Return the nouns of the arguments that a tool would be tested for."""
        found: set[str] = set()
        for each in (*act.qualifiers, *(other for more in act.exceptions for other in more.qualifiers)):
            with suppress(Unclear):
                parts = self.tests(one, "", (each,), "restrict", exact=False) or ()
                args = {limit.arg for part in parts for limit in (*part.where, *part.unless) if limit.arg}
                found |= {noun for arg in args for noun in (singular(arg), *map(singular, split_name(arg)))}
                found |= {noun for arg in args for noun in nouns_of_argument(one, arg)}
        return frozenset(found)


def _is_given(one: KnownTool, act: Act, nouns: tuple[str, ...]) -> bool:
    """Return whether a tool makes what is given: `issue_credit` for "give a credit"."""
    return bool(act.verbs) and set(act.verbs) <= _GIVING and one.head in nouns and one.verbs <= MAKING | _GIVING


def _mail_of(one: KnownTool) -> frozenset[str]:
    """Return what a message of a mail server is called as well."""
    return _MAIL_OF.get(one.head or "", frozenset()) if "email" in one.vocabulary else frozenset()


def _said(one: KnownTool) -> frozenset[str]:
    """Return what a tool says about itself, and not about its arguments: words and phrases of its names and comment."""
    texts = (one.tool.comment.lower(), " ".join(one.words), " ".join(split_name(one.tool.server)))
    acts = {noun for nouns in (lexicon.NOMINAL, lexicon.ACTIONS) for noun, verb in nouns.items() if verb in one.verbs}
    found = {*acts, *one.vocabulary, *_mail_of(one)}
    for text in texts:
        words = [singular(word) for word in re.findall("[a-z]+", text)]
        found |= {" ".join(words[at : at + size]) for size in (1, 2, 3) for at in range(len(words) - size + 1)}
    return frozenset(found)


def _is_about(one: KnownTool, nouns: tuple[str, ...], tested: frozenset[str], level: Level) -> bool:
    """Return whether the objects are what a tool acts on, or for what restricts, one that its names have."""
    own = {one.head or "", *(" ".join(each) for each in one.told), *tested}
    own |= {noun for noun in nouns if (lexicon.NOMINAL.get(noun) or lexicon.ACTIONS.get(noun)) in one.verbs}
    own |= _mail_of(one)
    named = own if level == "surely" else own | one.vocabulary
    served = not nouns or (bool(one.verbs & _SERVING) and PERSONS.issuperset(nouns))
    return served or any(noun in named or noun.split()[-1] in named for noun in nouns)
