"""Sentences about things that repeat: "never set up payments that repeat", "no standing orders without my OK"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.attributes.arguments import CHANGING, MAKING
from retouch.recipes.policy.english.frames import touching
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.several_tests import restriction
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words import idioms
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Doubtful
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.naming import Form, KnownWords
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
    from retouch.recipes.policy.english.words.tokens import Token

How: TypeAlias = Literal["forbid", "ask"]
_REPEATING = ("repeating", "recurring", "repeated", "recurrent")
_THAT_REPEAT = (
    "that repeat", "which repeat", "that repeats", "which repeats", "that recur", "which recur", "that recurs",
    "which recurs", "that repeat themselves", "that repeats itself",
)  # fmt: skip
_STANDING = ("standing order", "standing orders")
_VERBS: dict[Form, tuple[str, ...]] = {
    "base": ("create", "make", "set up", "schedule", "book", "plan", "add", "arrange", "start", "enter"),
    "ing": ("creating", "making", "setting up", "scheduling", "booking", "planning", "adding", "arranging", "starting",
            "entering"),
}  # fmt: skip
_ARTICLES = ("a", "an", "any", "new", "any new", "a new")
_ONCE = word_set("once never none no single one-off one_off one_time onetime one-time not_repeated does_not_repeat")
_OFTEN = word_set(
    "daily weekly biweekly fortnightly monthly quarterly yearly annually hourly annual day week month year"
)
_TOLD = re.compile(r"\b(?:repeat|recur|repeats|recurs|repeating|recurring|recurrence|how often|frequency)\b")
_NAMED = word_set("repeat repeats recurring recurrence frequency repeating rrule interval")
_WHOLE = re.compile(r"\b(?:standing orders?|recurring|repeating|subscriptions?)\b")
_PAYMENTS = word_set("payment transfer")
_ENDING_IT = word_set("delete remove cancel list get search close archive stop pause")


def meaning_of_repeating(tokens: tuple[Token, ...], toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about repeating things means. None if it is another one.

    Raises:
        Doubtful: a tool may make such a thing in a way that no test sees.
    """
    found = set(_sayings(tokens, toolbox.words))
    if len(found) != 1:
        return None
    ((how, nouns),) = found
    parts = frozenset(part for one in toolbox.tools for part in _parts(one, nouns))
    if not parts:
        return None
    return restriction(parts, toolbox, asks=how == "ask")


def _sayings(tokens: tuple[Token, ...], known: KnownWords) -> Iterator[tuple[How, frozenset[str]]]:
    words = Phrases(tokens, known=known)
    starts = [end for who in (*words.matches(0, idioms.WHO), 0) for end in words.matches(who, idioms.MUST_NOT)]
    starts += words.matches(0, idioms.FORBID_OPENINGS)
    done = [pair for start in starts for pair in _made(words, start)]
    done += [pair for start in words.matches(0, idioms.NO_ACTION) for pair in _repeating(words, start)]
    for nouns, then in done:
        yield from _if_whole(words, "forbid", nouns, touching.ever(words, then))
        yield from _if_whole(words, "ask", nouns, touching.unless_agreed(words, then))
    for asked in words.matches(0, idioms.ASK):
        for start in words.matches(asked, idioms.BEFORE):
            for nouns, end in _made(words, start):
                yield from _if_whole(words, "ask", nouns, (end,))
    for nouns, then in (*_made(words, 0), *_repeating(words, 0)):
        for verb in words.after(then, "is", "are"):
            yield from _if_whole(words, "forbid", nouns, words.matches(verb, idioms.BAD))
        yield from _if_whole(words, "ask", nouns, words.matches(then, idioms.NEEDS))
        for start in words.after(then, *idioms.MUST_NOT_BE):
            for end in words.after(start, "made", "created", "set up", "scheduled", "booked", "planned"):
                yield from _if_whole(words, "forbid", nouns, touching.ever(words, end))
                yield from _if_whole(words, "ask", nouns, touching.unless_agreed(words, end))


def _if_whole(
    words: Phrases, how: How, nouns: frozenset[str], ends: Iterable[int]
) -> Iterator[tuple[How, frozenset[str]]]:
    """Yield what is said, if it ends where the sentence does."""
    if words.size in set(ends):
        yield how, nouns


def _made(words: Phrases, at: int) -> Iterator[tuple[frozenset[str], int]]:
    for form in ("base", "ing"):
        for start in words.after(at, *_VERBS[form]):
            yield from _repeating(words, start)


def _repeating(words: Phrases, at: int) -> Iterator[tuple[frozenset[str], int]]:
    """Yield the nouns of "repeating payments", "events that repeat" and "standing orders"."""
    for start in words.optional(at, *_ARTICLES):
        found = [(frozenset[str](), end) for end in words.after(start, *_STANDING)]
        for then in words.after(start, *_REPEATING):
            found += _noun(words, then)
        for nouns, then in _noun(words, start):
            found += [(nouns, end) for end in words.after(then, *_THAT_REPEAT)]
        for nouns, end in found:
            yield nouns or _PAYMENTS, end
            for more in words.after(end, "or other", "and other", "or any other", "or", "nor"):
                yield from ((nouns | rest or _PAYMENTS, last) for rest, last in _repeating(words, more))


def _noun(words: Phrases, at: int) -> Iterator[tuple[frozenset[str], int]]:
    if words.word(at).isalpha():
        yield frozenset({singular(words.word(at))}), at + 1


def _parts(one: KnownTool, nouns: frozenset[str]) -> Iterator[ToolPart]:
    """Yield the calls of a tool that make something repeat.

    Raises:
        Doubtful: no test shows it.
    """
    makes = bool((one.verbs | one.done) & (MAKING | CHANGING))
    if one.reads or one.computes or one.code or (one.verbs <= _ENDING_IT and not makes):
        return
    about = not nouns.isdisjoint({one.head, *(each[-1] for each in one.told[:1])})
    whole = _WHOLE.search(" ".join(one.words)) is not None
    told = whole or _WHOLE.search(one.tool.comment.lower()) is not None
    if not about and not (told and nouns & _PAYMENTS):
        return
    args = [arg for arg in one.tool.args if _is_repetition(one, arg)]
    named = [arg for arg in args if _NAMED & {*split_name(arg)}]
    args = named if len(named) == 1 else args  # others say which of a series is changed
    if whole and makes:
        yield part_of(one)  # `create_standing_order`
    elif len(args) == 1:
        yield from _tests(one, args[0])
    elif args or told:
        raise Doubtful(f"{one.tool.name} may make what repeats")


def _is_repetition(one: KnownTool, arg: str) -> bool:
    named = bool(_NAMED & {*split_name(arg)}) or _TOLD.search(one.described(arg).lower()) is not None
    listed = {value.lower() for value in one.listed.get(arg, ())}
    return named or bool(listed and listed & _ONCE and listed & _OFTEN)


def _tests(one: KnownTool, arg: str) -> Iterator[ToolPart]:
    given = () if arg in one.required else (Limit(arg=arg, state="present"),)
    if arg in one.flags.values():
        yield part_of(one, where=(*given, Limit(arg=arg, among=(True,))))
    elif arg in one.listed:
        once = {value for value in one.listed[arg] if value.lower() in _ONCE}
        often = tuple(value for value in one.listed[arg] if value not in once)
        if not once and arg in one.required:
            raise Doubtful(f"no value of {arg!r} of {one.tool.name} says that it does not repeat")
        yield part_of(one, where=(*given, Limit(arg=arg, among=often)))
    elif given and one.takes_text(arg):
        yield part_of(one, where=(*given, Limit(arg=arg, like=("*",))))
    else:
        raise Doubtful(f"no test shows what {arg!r} of {one.tool.name} repeats")
