"""Reads sentences whose parts come in any order: what is said of an action, the action, and what limits it.

The frames know orders of words. A sentence that fits none is cut into clauses here, and each clause into chunks: one
verdict, such as "is fine by me" or "never", one action or its objects, and limits, in any order. Every word belongs to
a chunk, so no word is ignored. A later clause may leave out what the one before said: "refunds under 100 you just do,
over 500 you do not touch". All ways to read the sentence are returned. If they mean different things it is refused.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames import continuing, duties, only_times, others, small_frames, touching
from retouch.recipes.policy.english.frames.frames import Frames
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.limits import targets, written_times
from retouch.recipes.policy.english.ordinary.sayings import (
    AGAIN,
    LOOSE,
    Before,
    Saying,
    acts_of,
    has_it,
    joined,
    kinds_of,
    stance_of,
    with_units,
)
from retouch.recipes.policy.english.stances.stances import agreed, fillers, verdicts
from retouch.recipes.policy.english.tools.amounts import amount_number
from retouch.recipes.policy.english.words import idioms, lexicon
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Qualifier, Statement, Thing
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.naming import PREPOSITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.stances.stances import StancePhrase
    from retouch.recipes.policy.english.words.naming import KnownWords
    from retouch.recipes.policy.english.words.tokens import Token

MOST_CLAUSES = 300  # that begin at one word, and statements of a sentence
_IT = Thing(nouns=("it",), raw=("it",))
_JOINTS = (
    ", but", "but", "; but", ";", ", and", "and", ",", ", while", "while", ", though", "though", ", however",
    "; however ,", "; and", ", just", "but just", ", so", ", yet", ", only",
)  # fmt: skip
_FRONTS = PREPOSITIONS | word_set(
    "if when whenever while during between unless until once where since because as after before over under above "
    "below outside except"
)
_NO_OBJECTS = frozenset({"it", "you", "i", "me", "we", "us"})
_BEFORE = ("before you", "if you want to", "when you want to", "whenever you", "whenever you want to", "if you")
_BEFORE_DOING = ("before",)
_GETS = ("gets", "get", "is", "are", "has been", "have been", "is going to be", "are going to be", "has to be", "goes")


class LooseReader:
    """All readings of one sentence by its chunks. `led`: a line that may forbid comes before, as for the frames."""

    def __init__(self, tokens: tuple[Token, ...], *, known: KnownWords, led: bool) -> None:
        self.tokens = tokens
        self.known = known
        self.words = Phrases(tokens, known=known)
        self.words.antecedent = _IT
        self.frames = Frames(tokens, known=known, led=led)
        self.led = led
        self._sayings: dict[tuple[int, bool, bool, bool], tuple[tuple[Saying, int], ...]] = {}
        self._by_frames: dict[tuple[int, int], tuple[tuple[Statement, ...], ...]] = {}

    def readings(self) -> Iterator[tuple[Statement, ...]]:
        """Yield every reading of the whole sentence."""
        yield from islice(self._from(0, Before()), MOST_CLAUSES)

    def _from(self, at: int, before: Before) -> Iterator[tuple[Statement, ...]]:
        """Yield the statements of the clauses from a position on, with those before it."""
        if before.is_fronted:
            return  # its condition may be one of what follows, too
        conditional = self.words.word(at) in _FRONTS
        for found, end in self._clauses(at, before):
            said = (*before.said, *found)
            fronted = conditional and [kinds_of(one) for one in found] != [kinds_of(one) for one in before.said[-1:]]
            yield from self._after(end, replace(before, said=said, is_fronted=fronted), len(found))

    def _after(self, at: int, before: Before, last: int) -> Iterator[tuple[Statement, ...]]:
        words = self.words
        if at == words.size:
            yield before.said
            return
        *rest, one = before.said
        for start in (at, *words.after(at, ",", ";")):
            for end, stances in fillers(words, start):
                if one.stance in stances:
                    yield from self._after(end, before, last)
        for changed, end in self._limited(at, one) if last == 1 else ():
            yield from self._after(end, replace(before, said=(*rest, *changed)), 0)
        for joint in _JOINTS:
            for then in words.after(at, joint):
                yield from self._from(then, replace(before, joint=joint))

    def _limited(self, at: int, one: Statement) -> Iterator[tuple[tuple[Statement, ...], int]]:
        """Yield a permission with what follows it as its limit: "nowhere else", "but not to others", "but only to"."""
        for end in self.words.matches(at, idioms.NOWHERE_ELSE):
            if one.stance == "permit" and others.has_one_limit(one):
                yield (replace(one, only=True),), end
            elif one.stance == "permit" and (there := targets.only_there(self.words, at, end, one)) is not None:
                yield (there,), end
        yield from others.limited_by_rest(self.words, at, one)
        yield from (((limited,), end) for limited, end in continuing.but_only(self.words, at, one))

    def _clauses(self, at: int, before: Before) -> Iterator[tuple[tuple[Statement, ...], int]]:
        """Yield the statements of the clause at a position, each with its end."""
        for saying, end in self._chunks(at):
            for one in self._statements(saying, before):
                shared = (
                    saying.bare and saying.verdict is not None and before.joint in LOOSE
                )  # "pay or void only if I agree"
                if not shared and not (saying.has_action and before.may_share(one)):
                    yield (one,), end
        for end in self._ends(at):
            yield from (
                (found, end) for found in self._framed(at, end) if not any(before.may_share(one) for one in found)
            )
        yield from (((one,), end) for one, end in only_times.statements(self.words, at))
        for last in before.alone:
            more = (
                *continuing.continued(self.words, at, last, judged=self._judged),
                *others.asked_about_rest(self.words, at, last),
            )
            yield from (((one,), end) for one, end in more)

    def _ends(self, at: int) -> Iterator[int]:
        """Yield where a clause may end: before each joint, and at the end."""
        for end in range(at + 1, self.words.size):
            if any(True for _ in self.words.after(end, *_JOINTS)):
                yield end
        if at > 0:
            yield self.words.size

    def _framed(self, at: int, end: int) -> tuple[tuple[Statement, ...], ...]:
        """Return the readings of a clause by the frames."""
        if (at, end) not in self._by_frames:
            frames = Frames(self.tokens[at:end], known=self.known, led=self.led or at > 0)
            self._by_frames[at, end] = tuple(islice(frames.readings(), 20))
        return self._by_frames[at, end]

    def _judged(
        self, words: Phrases, at: int, acts: tuple[Act, ...], before: Statement | None
    ) -> Iterator[tuple[Statement, int]]:
        yield from self.frames.judged(words, at, acts, before)
        for verdict, end in verdicts(words, at):
            if verdict.takes == "none" and verdict.stance != "opposite" and not verdict.only:
                yield Statement(stance=verdict.stance, acts=acts), end

    # The chunks of a clause

    def _chunks(self, at: int) -> Iterator[tuple[Saying, int]]:
        yield from self._rest(at, verdict=False, acted=False, start=True)

    def _rest(self, at: int, *, verdict: bool, acted: bool, start: bool) -> tuple[tuple[Saying, int], ...]:
        """Return the chunks from a position on: what one clause says, each with its end.

        `verdict` and `acted`: the clause has these already. `start`: nothing but fillers comes before.
        """
        key = (at, verdict, acted, start)
        if key not in self._sayings:
            self._sayings[key] = ()  # a chunk is never empty, so this is not asked for again below
            self._sayings[key] = tuple(dict.fromkeys(islice(self._rests(*key), MOST_CLAUSES)))
        return self._sayings[key]

    def _rests(self, at: int, verdict: bool, acted: bool, start: bool) -> Iterator[tuple[Saying, int]]:
        if not start:
            yield Saying(), at
        words = self.words
        if at == words.size:
            return
        if words.word(at) == "," and not start:
            yield from self._rest(at + 1, verdict=verdict, acted=acted, start=False)
        yield from self._with_small_words(at, verdict=verdict, acted=acted, start=start)
        if not verdict:
            yield from self._with_verdict(at, acted=acted, start=start)
        if not acted:
            yield from self._with_action(at, verdict=verdict, start=start)
        for limit, end in (*words.qualifier(at), *_amounts_again(words, at)):
            for more, then in self._rest(end, verdict=verdict, acted=acted, start=False):
                yield replace(more, limits=(limit, *more.limits)), then

    def _with_small_words(self, at: int, *, verdict: bool, acted: bool, start: bool) -> Iterator[tuple[Saying, int]]:
        """Yield words that say nothing, or that make a prohibition a question, and the rest of a clause."""
        for end, stances in fillers(self.words, at):
            for more, then in self._rest(end, verdict=verdict, acted=acted, start=start):
                yield replace(more, stances=more.stances & stances), then
        for end in agreed(self.words, at) if verdict else ():
            for more, then in self._rest(end, verdict=True, acted=acted, start=False):
                yield replace(more, agreed=True), then

    def _with_verdict(self, at: int, *, acted: bool, start: bool) -> Iterator[tuple[Saying, int]]:
        """Yield a verdict with what it takes, and the rest of its clause."""
        for verdict, end in verdicts(self.words, at):
            if verdict.again and (acted or not start):
                continue
            for own, middle in self._taken(verdict, end, acted=acted):
                for more, then in self._rest(middle, verdict=True, acted=acted or bool(own.acts), start=False):
                    if not (own.topic and more.has_action):
                        yield joined(replace(own, verdict=verdict), more), then

    def _taken(self, verdict: StancePhrase, at: int, *, acted: bool) -> Iterator[tuple[Saying, int]]:
        words, takes = self.words, verdict.takes
        if takes == "none":
            yield Saying(), at
            return
        if takes == "held" and acted:
            yield from ((Saying(limits=(one,)), end) for one, end in written_times.spans(words, at))
        if acted and takes != "ed":
            return
        for start in (at, *(end for end, _ in fillers(words, at))):
            if takes == "ed":
                yield from ((Saying(done=verbs), end) for verbs, end in words.verb_list(start, "ed"))
            elif takes == "held":
                yield from ((Saying(acts=acts), end) for acts, end in self._held(start))
            elif takes == "place":
                yield from ((Saying(acts=(act,)), end) for act, end in touching.target(words, start))
            elif takes == "thing":
                yield from ((Saying(acts=acts), end) for acts, end in self._nominal(start))
                if verdict.stance == "forbid":
                    yield from ((Saying(acts=(act,)), end) for act, end in self._made(start))
            else:
                yield from ((Saying(acts=acts), end) for acts, end in words.acts(start, takes))

    def _with_action(self, at: int, *, verdict: bool, start: bool) -> Iterator[tuple[Saying, int]]:
        """Yield an action, or objects that the verb of another clause or a verdict is about."""
        words = self.words
        found = [(Saying(acts=acts), end) for acts, end in (*words.acts(at, "ing"), *self._nominal(at))]
        if start:
            found += [(Saying(acts=acts, bare=True), end) for acts, end in words.acts(at, "base")]
        for then in words.after(at, *_BEFORE):
            found += [(Saying(acts=acts, asked=True), end) for acts, end in words.acts(then, "base")]
        for then in words.after(at, *_BEFORE_DOING):
            found += [(Saying(acts=acts, asked=True), end) for acts, end in words.acts(then, "ing")]
            found += [(Saying(acts=(act,), asked=True), end) for act, end in self._happening(then)]
        for then in words.after(at, "if", "when", "whenever"):
            found += [(Saying(acts=(act,), asked=True), end) for act, end in self._happening(then)]
        for own, middle in found:
            for more, then in self._rest(middle, verdict=verdict, acted=True, start=False):
                yield joined(own, more), then
        for things, middle in self._topics(at):
            for more, then in self._rest(middle, verdict=verdict, acted=True, start=False):
                yield joined(Saying(topic=things), more), then
        yield from self._with_objects(at, verdict=verdict)

    def _topics(self, at: int) -> Iterator[tuple[tuple[Thing, ...], int]]:
        """Yield objects other than pronouns."""
        for things, end in self.words.things(at):
            if not any(_NO_OBJECTS & set(one.nouns) for one in things) and ANYTHING not in things:
                yield things, end

    def _with_objects(self, at: int, *, verdict: bool) -> Iterator[tuple[Saying, int]]:
        """Yield objects before a verdict that has the verb: "grades you can look up"."""
        for things, middle in self._topics(at) if not verdict else ():
            for more, then in self._rest(middle, verdict=False, acted=False, start=False):
                if more.acts and not more.topic:
                    yield joined(Saying(topic=things), more), then

    def _happening(self, at: int) -> Iterator[tuple[Act, int]]:
        """Yield "a ticket is closed" and "anything gets published" after "before" and "when"."""
        words = self.words
        for things, middle in words.things(at):
            for qualifiers, then in words.qualifiers(middle):
                for start in words.after(then, *_GETS):
                    for verbs, end in words.verb_list(start, "ed"):
                        for more, last in words.qualifiers(end):
                            yield Act(verbs=verbs, things=things, qualifiers=(*qualifiers, *more)), last

    def _nominal(self, at: int) -> Iterator[tuple[tuple[Act, ...], int]]:
        """Yield actions that are nouns: "refunds over 100", "new servers", "emails to Ann", "changes to contacts"."""
        words = self.words
        for act, end in (*duties.subjects(words, at), *small_frames.messages(words, at)):
            yield (act,), end
        for things, middle in words.things(at):
            for qualifiers, end in words.qualifiers(middle):
                if all(one.nouns and one.nouns[-1] in lexicon.NOMINAL for one in things):
                    every = tuple(replace(one, amount="any") for one in things)
                    yield (Act(verbs=(), things=every, qualifiers=qualifiers),), end
        for thing, middle in words.thing(at):
            verb = lexicon.ACTIONS.get(thing.nouns[-1]) if thing.nouns and not thing.is_owned else None
            if verb is None:
                continue
            found = [((replace(thing, nouns=thing.nouns[:-1], raw=thing.raw[:-1], named="", amount="any"),), middle)]
            if len(thing.nouns) == 1:
                found = [pair for then in words.after(middle, "to", "of") for pair in words.things(then)]
                yield (Act(verbs=(verb,)),), middle
            for things, then in found:
                for qualifiers, end in words.qualifiers(then) if ANYTHING not in things else ():
                    yield (Act(verbs=(verb,), things=things, qualifiers=qualifiers),), end

    def _held(self, at: int) -> Iterator[tuple[tuple[Act, ...], int]]:
        """Yield "start before 9:30 or end after 17:00" after "meetings must not"."""
        for one, end in written_times.spans(self.words, at):
            act = Act(verbs=(), qualifiers=(one,), made=True)
            yield (act,), end
            for more in self.words.after(end, "or", "and", "nor"):
                yield from (((act, *rest), last) for rest, last in self._held(more))

    def _made(self, at: int) -> Iterator[tuple[Act, int]]:
        """Yield objects of which none must be made: "meetings on weekends" after "no"."""
        for things, middle in self._topics(at):
            nouns = {thing.nouns[-1] for thing in things if thing.nouns}
            if nouns and nouns.isdisjoint({"email", *lexicon.NOMINAL}):
                yield Act(verbs=(), things=things, made=True), middle

    # What a clause says

    def _statements(self, saying: Saying, before: Before) -> Iterator[Statement]:
        """Yield what a clause says, with what it leaves out from those before."""
        stance = stance_of(saying, before, led=self.led)
        if stance is None or stance not in saying.stances or (saying.asked and stance != "ask"):
            return
        only = saying.verdict is not None and saying.verdict.only
        if saying.agreed:
            if stance != "forbid" or only:
                return
            stance = "ask"
        saying = replace(saying, limits=with_units(saying.limits, before.acts))
        if any(one.names == (AGAIN,) for one in saying.limits):
            return  # no clause before it has an amount
        for acts in acts_of(saying, before):
            bare = saying.verdict is None and not all(
                act.things or act.qualifiers for act in acts
            )  # one word of a list
            if acts and not bare and not any(has_it(act) for act in acts):
                yield Statement(stance=stance, acts=acts, only=only)


def _amounts_again(words: Phrases, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "from 100 to 500" and "from 55,000 on" of a clause that leaves the unit of the one before out."""
    again = Qualifier(kind="amount", names=(AGAIN,))
    for then in words.after(at, "from", "between"):
        first = amount_number(words.word(then))
        for more in words.after(then + 1, "to", "and", "up to") if first is not None else ():
            last = amount_number(words.word(more))
            if last is not None and first is not None and first < last:
                yield replace(again, at_least=first, at_most=last), more + 1
        for end in words.after(then + 1, "on", "upwards", "onwards", "up") if first is not None else ():
            yield replace(again, at_least=first), end
