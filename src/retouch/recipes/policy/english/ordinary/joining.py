"""Reads a sentence of several parts, of which a later one may refer to an earlier one.

Each part is read alone, with the words that stand for something ("one", "them") replaced by what they stand for, or it
says more about what a part before permits: "but not into any other folder", "ask me for larger ones". The sentence
means what its parts mean together. It is refused if a part has no meaning, if it has two, if a word can stand for two
things, or if a part may be limited by a condition of another one.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames import continuing, others, small_frames
from retouch.recipes.policy.english.frames.frames import Frames
from retouch.recipes.policy.english.ordinary.alone import ReadPart, parts_alone
from retouch.recipes.policy.english.ordinary.matching import meaning_by_words
from retouch.recipes.policy.english.ordinary.meaning import meaning_of
from retouch.recipes.policy.english.ordinary.referring import with_antecedent
from retouch.recipes.policy.english.rewriting.paraphrases import plain_words
from retouch.recipes.policy.english.words import idioms
from retouch.recipes.policy.english.words.acts import ANYTHING, Qualifier
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.naming import PREPOSITIONS
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.ordinary.alone import Reading
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Act, Stance, Statement
    from retouch.recipes.policy.english.words.tokens import Token
    from retouch.recipes.policy.language.values import Scalar

MOST_JOINTS = 8
_JOINTS = (
    (";",), ("but",), ("and",), (",",), (",", "but"), (";", "but"), (",", "and"), (";", "and"), (",", "just"),
    (",", "but", "just"), ("but", "just"), ("just",), (",", "however"), (";", "however"), (";", "however", ","),
    (",", "while"), ("while",),
)  # fmt: skip
# After these, a bare command may belong to the part before: "never delete files and write emails".
_LOOSE = frozenset({("and",), (",",), (",", "and"), (";", "and"), (",", "while"), ("while",), ("just",)})
_WEAK = frozenset({("and",), (",",)})  # after which a place may belong to the part before as well
# A part that begins so has a condition, which may hold for the next part too.
_FRONTS = PREPOSITIONS | word_set("if when whenever while during between unless until once where since because as")
_MARKS = frozenset({",", ";", "and", "but", "or"})
_WHOLE = frozenset({"anything", "everything"})


def joined_meanings(tokens: tuple[Token, ...], toolbox: Toolbox, *, led: bool) -> dict[Meaning, None]:
    """Return the meanings of a sentence of several parts: {} if a part has none, one for each way to read it.

    Raises:
        Unclear: a part has too many readings, or a condition that may belong to another one.
    """
    if sum(one.text in {",", ";", "but", "and", "while", "just"} for one in tokens) > MOST_JOINTS:
        return {}
    return dict.fromkeys(_Joiner(toolbox, led=led).meanings(tokens))


class _Joiner:
    """Reads the parts of one sentence. Each part is read once."""

    def __init__(self, toolbox: Toolbox, *, led: bool) -> None:
        self.toolbox = toolbox
        self.led = led
        self.known: dict[tuple[tuple[Token, ...], bool], tuple[ReadPart, ...]] = {}

    def meanings(self, tokens: tuple[Token, ...]) -> Iterator[Meaning]:
        """Yield the meaning of each way to read all parts."""
        for at, then in _joints(tokens, 1):
            for first in self._alone(tokens[:at], led=self.led):
                for parts in self._followed((first,), tokens[at:], then - at):
                    yield _together(parts)

    def _alone(self, tokens: tuple[Token, ...], *, led: bool) -> tuple[ReadPart, ...]:
        plain = plain_words(tokens)
        if (plain, led) not in self.known:
            self.known[plain, led] = parts_alone(plain, self.toolbox, led=led)
        return self.known[plain, led]

    def _followed(
        self, before: tuple[ReadPart, ...], tokens: tuple[Token, ...], start: int
    ) -> Iterator[tuple[ReadPart, ...]]:
        """Yield the parts with those that the words at `start` say. A joint comes before that."""
        yield from self._with_next(before, tokens, start)
        for at, then in _joints(tokens, start + 1):
            for parts in self._with_next(before, tokens[:at], start):
                yield from self._followed(parts, tokens[at:], then - at)

    def _with_next(
        self, before: tuple[ReadPart, ...], tokens: tuple[Token, ...], start: int
    ) -> Iterator[tuple[ReadPart, ...]]:
        found = [(*before, one) for one in self._independent(before, tokens, start)]
        for at, part in enumerate(before):
            found += [(*before[:at], one, *before[at + 1 :]) for one in self._continued(part, tokens, start)]
        yield from (parts for parts in found if not _contradicts(parts))

    # Parts that are read alone

    def _independent(self, before: tuple[ReadPart, ...], tokens: tuple[Token, ...], start: int) -> Iterator[ReadPart]:
        joint, rest = tuple(one.text for one in tokens[:start]), tokens[start:]
        if not rest or rest[0].text in {"not", "no"} or any(part.tokens[0].text in _FRONTS for part in before):
            return
        replaced = with_antecedent(rest, before, self.toolbox, self._meanings_alone)
        if replaced is None:
            return
        for part in self._alone(replaced.tokens, led=self.led or joint in _LOOSE):
            own = _has_verbs(part) if replaced.is_replaced else not _may_share(before[-1], part, joint)
            if own and replaced.allows(_stances(part)) and not self._lacks_object(part):
                yield part

    def _meanings_alone(self, tokens: tuple[Token, ...]) -> set[Meaning]:
        return {part.meaning for part in self._alone(tokens, led=True)}

    def _lacks_object(self, part: ReadPart) -> bool:
        """Return whether a part has only a verb, and the tools that do this do it to several kinds of things."""
        bare = any(
            not (act.qualifiers or act.exceptions or any(thing.nouns for thing in act.things))
            for reading in part.readings
            for one in reading
            for act in one.acts
        )
        heads = {one.head for one in self.toolbox.tools if one.key in {(p.server, p.tool) for p in part.meaning.parts}}
        return bare and len(heads) > 1 and _WHOLE.isdisjoint(one.text for one in part.tokens)

    # Parts that say more about the one before

    def _continued(self, part: ReadPart, tokens: tuple[Token, ...], start: int) -> Iterator[ReadPart]:
        """Yield a part with what the words say about the rest of what it permits."""
        frames = Frames(tokens, known=self.toolbox.words)
        found: dict[Meaning, list[Reading]] = {}
        for last in (reading[0] for reading in part.readings if len(reading) == 1):
            for said in self._as_said(part, last):
                for reading in _continuations(frames, said, start):
                    with suppress(Unclear):
                        if self._keeps(part, said, reading):
                            found.setdefault(self._meaning(part, reading), []).append(reading)
        for meaning, readings in found.items():
            yield replace(part, meaning=meaning, readings=tuple(readings))

    def _keeps(self, part: ReadPart, one: Statement, statements: tuple[Statement, ...]) -> bool:
        """Return whether what is excepted from the rest is what the permission is for, with the same arguments."""
        rest = [act for each in statements[1:] for act in each.acts if act.exceptions]
        amounts = {"amount", "size", "count", "per"}
        plain = tuple(each for each in one.acts[0].qualifiers if each.kind not in amounts)
        own = replace(one, acts=(replace(one.acts[0], qualifiers=plain),))
        for each in (replace(one, acts=act.exceptions) for act in rest):
            if not same_parts(self._meaning(part, (each,)), self._meaning(part, (own,))):
                return False
        limited = [each for each in statements[:1] if any(limit.only for limit in each.acts[0].qualifiers)]
        allowed = [Meaning(allow=self._meaning(part, reading).allow) for reading in ((one,), (*limited,))]
        return not limited or same_parts(*allowed)

    def _meaning(self, part: ReadPart, reading: Reading) -> Meaning:
        if part.by_words:
            return meaning_by_words(reading, self.toolbox)
        return meaning_of(reading, self.toolbox, lenient=False)

    def _as_said(self, part: ReadPart, one: Statement) -> Iterator[Statement]:
        """Yield a statement, and the one with its listed words as values: "electricity and water bills"."""
        if len(one.acts) != 1:
            return
        yield one
        listed = with_listed_words(one.acts[0], self.toolbox.values)
        other = replace(one, acts=(listed,))
        with suppress(Unclear):
            if listed != one.acts[0] and same_parts(self._meaning(part, (other,)), self._meaning(part, (one,))):
                yield other


def with_listed_words(act: Act, values: frozenset[str]) -> Act:
    """Return an act with the listed values that its objects begin with as one qualifier."""
    ends = {one.nouns[1:] for one in act.things}
    listed = all(len(one.raw) == len(one.nouns) and one.raw and one.raw[0].lower() in values for one in act.things)
    if not act.things or len(ends) > 1 or not listed:
        return act
    end = next(iter(ends))
    value = Qualifier(kind="value", names=tuple(one.raw[0].lower() for one in act.things))
    rest = replace(act.things[-1], nouns=end, raw=act.things[-1].raw[1:], named="") if end else ANYTHING
    return replace(act, things=(rest,), qualifiers=(value, *act.qualifiers))


def same_parts(one: Meaning, other: Meaning) -> bool:
    """Return whether two permissions are for the same calls: one of several values in one rule, or in several."""
    return set(_each_value(one)) == set(_each_value(other))


def _each_value(meaning: Meaning) -> Iterator[tuple[object, ...]]:
    for mood in ("allow", "ask", "never", "excepted"):
        for part in getattr(meaning, mood):
            choices = [
                [replace(limit, among=(_folded(value),)) for value in limit.among] or [limit] for limit in part.where
            ]
            for where in product(*choices):
                yield mood, part.server, part.tool, frozenset(where), frozenset(part.unless)


def _folded(value: Scalar) -> Scalar:
    return value.lower() if isinstance(value, str) else value


def _joints(tokens: tuple[Token, ...], start: int) -> Iterator[tuple[int, int]]:
    """Yield where a part may end, and where the next one begins."""
    texts = tuple(one.text for one in tokens)
    for at in range(start, len(texts)):
        for joint in _JOINTS:
            then = at + len(joint)
            if texts[at:then] == joint and then < len(texts) and not {texts[at - 1], texts[then]} & _MARKS:
                yield at, then


def _continuations(frames: Frames, one: Statement, start: int) -> Iterator[tuple[Statement, ...]]:
    """Yield a permission and what all the words say about its rest."""
    words = frames.words
    if one.stance != "permit" or one.only or len(one.acts) != 1 or one.acts[0].exceptions:
        return
    if others.has_one_limit(one) and any(words.size in words.matches(at, idioms.NOWHERE_ELSE) for at in {0, start}):
        yield (replace(one, only=True),)
    words.antecedent = others.object_of(one, None)
    yield from (found for found, end in others.limited_by_rest(words, 0, one) if end == words.size)
    changed = (*continuing.but_only(words, 0, one), *small_frames.but_ask(words, 0, one.acts))
    yield from ((each,) for each, end in changed if end == words.size)
    more = (
        *continuing.continued(words, start, one, judged=frames.judged),
        *continuing.continued_passive(words, start, one),
        *others.asked_about_rest(words, start, one),
    )
    yield from ((one, each) for each, end in more if end == words.size)


def _may_share(one: ReadPart, other: ReadPart, joint: tuple[str, ...]) -> bool:
    """Return whether the qualifiers at the end of a part may be of the one before: "you may X and you may Y in Z"."""
    if joint not in _LOOSE or _stances(one).isdisjoint(_stances(other)):
        return False
    kinds = {each.kind for each in _limits(other) if each.kind != "about"}
    return bool(kinds) if joint in _WEAK else any(each.is_condition or each.when for each in _limits(other))


def _has_verbs(part: ReadPart) -> bool:
    """Return whether a part says itself what is done: "never urgent ones" has the verb of the part before."""
    return all(act.verbs for reading in part.readings for one in reading for act in one.acts)


def _stances(part: ReadPart) -> set[Stance]:
    return {one.stance for reading in part.readings for one in reading}


def _limits(part: ReadPart) -> Iterator[Qualifier]:
    for reading in part.readings:
        yield from (each for one in reading for act in one.acts for each in act.qualifiers)


def _together(parts: tuple[ReadPart, ...]) -> Meaning:
    whole = Meaning()
    for part in parts:
        whole |= part.meaning
    return whole


def _contradicts(parts: tuple[ReadPart, ...]) -> bool:
    """Return whether a part permits what one before restricts, or restricts all that one before permits."""
    *before, last = parts
    allowed = {(one.server, one.tool) for part in parts for one in part.meaning.allow}
    restricted = [one for part in parts for one in part.meaning.ask | part.meaning.never]
    if any((one.server, one.tool) in allowed and not (one.where or one.unless) for one in restricted):
        return True
    later = {(one.server, one.tool) for one in last.meaning.allow}
    sooner = {(one.server, one.tool) for part in before for one in part.meaning.parts - part.meaning.allow}
    asked = {one for part in parts for one in part.meaning.ask}
    return bool(later & sooner) or bool(asked & {one for part in parts for one in part.meaning.never})
