"""Parses values that arguments are given: "with Ben Osei", "of type cx22", "to cost center 4711", "PDF files"."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.acts import Qualifier
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.names import (
    after_naming,
    bare_name,
    beside_example,
    excepted_word,
    word_after,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.words.naming import SentenceWords

_BARE_AFTER = word_set("in on to from at into")
_PREPOSITIONS = word_set("to with for in on of from by at as into")
_DATES = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|"
    r"october|november|december|christmas|easter|i|today|tomorrow|tonight"
)
_TITLES = word_set("dr. mr. mrs. ms. prof. st.")
_NUMBERED = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w-]+(?:\.[\w-]+)*|[A-Za-z][\w-]*_[\w-]+|@[A-Za-z]\w*")
_JOINED = re.compile(r"[a-z]+(?:[-_.][a-z0-9]+)+")  # "rg-test"
_WHOLE = re.compile(r"\d{1,9}")
_SAID = (
    "the word", "the words", "the phrase", "the phrases", "the term", "the terms", "the text", "the expression",
    "words such as", "words like",
)  # fmt: skip
_WITH_WORDS = (
    "with", "containing", "mentioning", "including", "that contain", "that contains", "which contain", "which contains",
    "that mention", "that mentions", "that include", "that includes", "that has", "that have", "that use", "that uses",
)  # fmt: skip
_FILES_OF = tuple(
    f"files {one}"
    for one in (
        "of type", "of the type", "of the types", "with the extension", "with the extensions", "with the ending",
        "with the endings", "that end in", "that end with", "ending in", "ending with", "whose names end in",
        "whose names end with", "whose name ends in", "whose name ends with",
    )
)  # fmt: skip
_FILE = re.compile(r"[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+")
_FILE_ENDS = word_set("lock toml ini cfg conf env log py rs ts js go java rb php sh css tf bak key pem db sqlite")


def chosen_values(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "with Ben Osei", "in the courses Biology 7A and Biology 8B", "on port 22": a value of an argument.

    `word` is the preposition and `arg` the noun, both "" if there are none.
    """
    prep = words.word(at) if words.word(at) in _PREPOSITIONS else ""
    first = at + 1 if prep else at
    start = next(iter(words.after(first, "the")), first)
    for noun, middle in nouns(words, start):
        then = after_naming(words, middle) if noun else middle
        small = partial(word_after, words, first=middle) if noun else partial(beside_example, words)
        for names, end in _list(words, then, noun=noun, small=small):
            if start > first and not noun and " " not in names[0]:
                continue  # "the CEO" is somebody, and no name
            if (
                prep
                or (noun and (start == at or words.word(at) == "the"))
                or (noun and words.word(at - 1) in {"not", "except"})
                or all(one.startswith("@") for one in names)
            ):
                yield Qualifier(kind="chosen", word=prep, arg=noun, names=names), end


def other_values(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "outside the regions Oslo and Bergen" and "to a country other than Germany": all other values."""
    found = [
        (noun, then)
        for start in words.after(at, "outside the", "outside of the", "outside")
        for noun, then in nouns(words, start)
    ]
    for start in words.optional(at + 1, "a", "an", "another") if words.word(at) in _PREPOSITIONS else ():
        for noun, middle in nouns(words, start):
            found += [(noun, then) for then in words.after(middle, "except") if start > at + 1]
    for noun, then in found:
        small = partial(word_after, words, first=then)
        for names, end in _list(words, then, noun=noun, small=small) if noun else ():
            yield Qualifier(kind="chosen", arg=noun, names=names, is_negated=True), end


def bare_names(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "in it-support and on-call" and "in dev": names in small letters without a noun."""
    if words.word(at) in _BARE_AFTER:
        for names, end in _bare_list(words, at + 1):
            yield Qualifier(kind="bare", word=words.word(at), names=names), end


def _bare_list(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    for name, then in bare_name(words, at):
        yield (name,), then
        for joint in words.after(then, ", and", ", or", ",", "and", "or"):
            for rest, end in _bare_list(words, joint):
                yield (name, *rest), end


def kinds_of_values(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "write or admin permission" and "with write access": listed values, and the noun of their argument."""
    start = next(iter(words.after(at, "with", "the")), at)
    for value, then in listed_values(words, next(iter(words.after(start, "the", "a", "an")), start), agents=True):
        if singular(words.word(then)) in lexicon.ACCESS:
            yield Qualifier(kind="chosen", arg=singular(words.word(then)), names=value.names), then + 1


def containing(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "the word 'guarantee'" and "the hashtag #ad": what a text contains."""
    for then in words.after(at, *_SAID):
        for names, end in _list(words, then, noun=""):
            if all(words.tokens[one].quoted for one in range(then, end) if words.word(one) not in {",", "and", "or"}):
                yield Qualifier(kind="contains", names=names), end
    for then in words.optional(at, "the hashtag", "the hashtags", "hashtag"):
        marked = [one for one in words.tokens[then : then + 1] if re.fullmatch(r"#[A-Za-z]\w*", one.raw)]
        if marked and (then > at or words.word(at - 1) in {"contain", "include", "mention"}):
            yield Qualifier(kind="contains", names=(marked[0].raw,)), then + 1
    for names, end in _mentions(words, at):
        yield Qualifier(kind="contains", names=names), end


def _mentions(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield "@channel or @here": words that notify everybody in a chat, and no names of somebody."""
    if at < words.size and words.tokens[at].text in lexicon.MENTIONS:
        yield (words.tokens[at].raw,), at + 1
        for more in words.after(at + 1, ", and", ", or", ",", "and", "or"):
            for rest, end in _mentions(words, more):
                yield (words.tokens[at].raw, *rest), end


def contained(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "with @channel" and 'that contains the word "guarantee"': what a text contains."""
    for start in words.after(at, *_WITH_WORDS):
        yield from containing(words, start)


def typed_files(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "PDF files", "any .csv or .parquet files" and "files of type jpg or png"."""
    openings = _FILES_OF
    for start in words.optional(at, "the file", "the files", "files named", "files called", "any file named"):
        for names, end in _file_names(words, start):
            yield Qualifier(kind="like", word="path", names=names), end
    for start in words.optional(at, "any", "the", "all", "only", "a", "an", "every", "each"):
        for names, then in _file_types(words, start):
            for end in words.after(then, "files", "file", "documents"):
                yield Qualifier(kind="like", word="path", names=names), end
        for then in words.after(start, *openings):
            for names, end in _file_types(words, then):
                yield Qualifier(kind="like", word="path", names=names), end


def _file_names(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the patterns of "Cargo.lock" and "package.json": files of these names in any directory."""
    one = words.tokens[at] if at < words.size else None
    ending = one.text.rpartition(".")[2] if one is not None else ""
    if one is not None and _FILE.fullmatch(one.raw) and ending in lexicon.FILE_TYPES | _FILE_ENDS:
        yield (f"*/{one.raw}",), at + 1
        for more in words.after(at + 1, ", and", ", or", ",", "and", "or"):
            for rest, end in _file_names(words, more):
                yield (f"*/{one.raw}", *rest), end


def _file_types(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    name = words.word(at).removeprefix(".")
    if name in lexicon.FILE_TYPES or re.fullmatch(r"\.[a-z0-9]{1,8}", words.word(at)):
        yield (f"*.{name}",), at + 1
        for more in words.after(at + 1, ", and", ", or", ",", "and", "or"):
            for rest, end in _file_types(words, more):
                yield (f"*.{name}", *rest), end


def flags(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "masked", "permanently" and "in privileged mode", if the tools have such flags."""
    for size in (1, 2):
        if " ".join(words.word(one) for one in range(at, at + size)) in words.flags:
            yield _flag(words, at, at + size), at + size
    stem = words.word(at).removesuffix("ly")
    adverbs = {stem, f"{stem[:-1]}y" if stem.endswith("i") else stem} if stem != words.word(at) else set[str]()
    yield from ((Qualifier(kind="flag", word=one), at + 1) for one in sorted(adverbs & words.flags))
    yield from in_mode(words, at)


def in_mode(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "in privileged mode" and "with a public address"."""
    for start in words.optional(at + 1, "a", "an") if words.word(at) == "with" else ():
        for size in (1, 2):
            if " ".join(words.word(one) for one in range(start, start + size)) in words.flags:
                yield _flag(words, start, start + size), start + size
    if words.word(at) == "in" and words.word(at + 1) in words.flags and words.word(at + 2) == "mode":
        yield _flag(words, at + 1, at + 2), at + 3


def agent_of(verb: str) -> tuple[str, ...]:
    """Return who does something: `writer` for "write"."""
    return (f"{verb}er", f"{verb}r", f"{verb}or")


def _flag(words: SentenceWords, at: int, end: int) -> Qualifier:
    return Qualifier(kind="flag", word=" ".join(words.word(one) for one in range(at, end)))


def nouns(words: SentenceWords, at: int) -> Iterator[tuple[str, int]]:
    """Yield no noun, and the one that names an argument: `type` for `server_type`, `cost center`."""
    yield "", at
    for size in (1, 2, 3):
        found = [words.word(one) for one in range(at, at + size)]
        noun = " ".join((*found[:-1], singular(found[-1])))
        if noun in words.given:
            yield noun, at + size


def listed_values(
    words: SentenceWords, at: int, *, agents: bool = False, joined: bool = False
) -> Iterator[tuple[Qualifier, int]]:
    """Yield "small or medium", if the schema of a tool lists these values. `agents`: "write" is `writer` as well.

    `joined`: "outages and billing errors" are the values `outage` and `billing_error`.
    """
    found = [*words.value_in_schema(at), *(words.values_in_schema(at) if joined else ())]
    if agents and not found:
        found = [(one, at + 1) for one in agent_of(words.word(at)) if one in words.values]
    for name, then in found:
        yield Qualifier(kind="value", names=(name,)), then
        for more in words.after(then, ", or", ",", "or", *((", and", "and", "or the", "and the") if joined else ())):
            for rest, end in listed_values(words, more, agents=agents, joined=joined):
                yield Qualifier(kind="value", names=(name, *rest.names)), end


def named_argument(words: SentenceWords, at: int) -> Iterator[tuple[str, int]]:
    """Yield "due date", if it names an argument."""
    yield from ((noun, end) for noun, end in nouns(words, at) if noun)


def names_except(words: SentenceWords, at: int, nouns: tuple[str, ...]) -> Iterator[tuple[Qualifier, int]]:
    """Yield "HR and the Board" after "all channels except": names of the things that the nouns are."""
    noun = next((one for one in (" ".join(nouns), *nouns[-1:]) if one in words.given), "")
    for start in words.optional(at, f"the {noun}") if noun else ():
        for names, end in _list(words, start, noun=noun, small=partial(excepted_word, words)):
            yield Qualifier(kind="chosen", arg=noun, names=names), end


def _list(
    words: SentenceWords, at: int, *, noun: str, small: Callable[[int], Iterator[tuple[str, int]]] | None = None
) -> Iterator[tuple[tuple[str, ...], int]]:
    for name, then in (*_name(words, at, numbers=bool(noun)), *(small(at) if small else ())):
        yield (name,), then
        for joint in words.after(then, ", and", ", or", ",", "and", "or"):
            again = (
                words.after(joint, noun, f"the {noun}", f"in the {noun}", f"to the {noun}", f"on the {noun}")
                if noun
                else ()
            )
            more = next(iter(again), joint)
            for rest, end in _list(words, more, noun=noun, small=small):
                if len(rest) > 1 or words.word(joint - 1) != ",":
                    yield (name, *rest), end


def _name(words: SentenceWords, at: int, *, numbers: bool) -> Iterator[tuple[str, int]]:
    """Yield a name that cannot be an ordinary word. One with several words is read as a whole."""
    if at >= words.size:
        return
    one = words.tokens[at]
    if one.text in lexicon.MENTIONS:
        return
    marked = numbers and (_WHOLE.fullmatch(one.raw) or _JOINED.fullmatch(one.raw))
    if one.quoted or _NUMBERED.fullmatch(one.raw) or marked or one.text in words.examples:
        yield one.raw, at + 1
    elif at and (_is_capital(words, at, any_word=numbers) or one.text in _TITLES):
        end = at + 1
        while end < words.size and (_is_capital(words, end, any_word=numbers) or _is_part(words, end)):
            end += 1
        if singular(words.word(end - 1)) in words.given and not numbers:
            return  # the noun of an argument: "the Vega Harbor"
        if words.word(end) in {"team", "department", "office", "account", "project"}:
            return  # "the Harbor team" is a team, and no name of somebody
        if f"{one.text.rstrip('.')}." not in _TITLES or end > at + 1:
            yield " ".join(each.raw for each in words.tokens[at:end]), end


def _is_capital(words: SentenceWords, at: int, *, any_word: bool) -> bool:
    """Return whether a word can be a name. `any_word`: a common one too, as in "the folder Invoices"."""
    one = words.tokens[at]
    if one.quoted or not re.fullmatch(r"[A-Z][\w-]*", one.raw):
        return False
    known = _DATES.fullmatch(one.text) or one.text in lexicon.CURRENCY_CODES
    known = known or (
        one.text in lexicon.VERBS and not any_word and words.word(at - 1) not in {"to", "from", "in", "or"}
    )
    return not known and (any_word or singular(one.text) not in words.common)


def _is_part(words: SentenceWords, at: int) -> bool:
    """Return whether a word can follow the first one of a name: `7A` in "Biology 7A"."""
    one = words.tokens[at]
    known = not one.quoted and re.fullmatch(r"\d+[A-Z]|[A-Z]\d*|\d{1,4}", one.raw) is not None
    return known or (not one.quoted and re.fullmatch(r"[A-Z][a-z]+", one.raw) is not None)
