"""Reads an ordinary sentence: all its readings, their meaning for the tools, and whether that agrees with its words."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.attributes.money import meaning_of_money
from retouch.recipes.policy.english.attributes.page_sizes import meaning_of_page_size
from retouch.recipes.policy.english.attributes.public_replies import meaning_of_public_replies
from retouch.recipes.policy.english.attributes.reading import meaning_of_attribute
from retouch.recipes.policy.english.attributes.recurring import meaning_of_repeating
from retouch.recipes.policy.english.checking.agreeing import disagreement
from retouch.recipes.policy.english.checking.agreeing_tools import wrong_tool
from retouch.recipes.policy.english.checking.explaining import unexplained
from retouch.recipes.policy.english.checking.like_tools import refuse_idle_tests
from retouch.recipes.policy.english.checking.lost_names import lost_name
from retouch.recipes.policy.english.checking.lost_words import lost_word
from retouch.recipes.policy.english.checking.other_ways import in_all_ways
from retouch.recipes.policy.english.checking.sparing import sparing
from retouch.recipes.policy.english.checking.untimed import Bounds, without_exception, without_time
from retouch.recipes.policy.english.checking.widening import widened
from retouch.recipes.policy.english.devices.reading import home_meaning
from retouch.recipes.policy.english.limits.glob_patterns import with_glob_patterns
from retouch.recipes.policy.english.limits.permitted_places import in_one_place
from retouch.recipes.policy.english.ordered import meaning_of_order, ordered_acts
from retouch.recipes.policy.english.ordinary.alone import NOT_FOUND, by_their_words, first_meanings, loose_meanings
from retouch.recipes.policy.english.ordinary.browser_sentences import browser_meaning
from retouch.recipes.policy.english.ordinary.closing import (
    closed_meaning,
    only_meaning,
    only_tools_meaning,
    refuse_mixed,
    two_meanings,
)
from retouch.recipes.policy.english.ordinary.copying import copying_meaning
from retouch.recipes.policy.english.ordinary.direct_messages import direct_meaning
from retouch.recipes.policy.english.ordinary.families import family_meaning
from retouch.recipes.policy.english.ordinary.joining import joined_meanings
from retouch.recipes.policy.english.ordinary.read_only import meaning_of_changes, meaning_of_read_only
from retouch.recipes.policy.english.ordinary.remarks import without_remark
from retouch.recipes.policy.english.ordinary.second_ways import with_kinds, with_second_ways
from retouch.recipes.policy.english.ordinary.services import meaning_of_service, permission_but_service
from retouch.recipes.policy.english.ordinary.sql_sentences import sql_meaning
from retouch.recipes.policy.english.ordinary.trimming import shortened
from retouch.recipes.policy.english.ordinary.two_bounds import bounded_meaning
from retouch.recipes.policy.english.ordinary.widest import widest
from retouch.recipes.policy.english.rewriting.bare_values import with_bare_values
from retouch.recipes.policy.english.rewriting.commanded_limits import leaves_command
from retouch.recipes.policy.english.rewriting.counted_forms import in_counted_form
from retouch.recipes.policy.english.rewriting.known_words import in_known_words
from retouch.recipes.policy.english.rewriting.negated_objects import with_plain_negations
from retouch.recipes.policy.english.rewriting.paraphrases import plain_words
from retouch.recipes.policy.english.rewriting.payment_terms import with_payment_terms, with_said_currency
from retouch.recipes.policy.english.rewriting.plain_verdicts import with_plain_verdicts
from retouch.recipes.policy.english.rewriting.written_forms import in_active_form, in_plain_form
from retouch.recipes.policy.english.rewriting.written_messages import with_read_channels
from retouch.recipes.policy.english.rewriting.written_verbs import with_moved_events, with_opened_things
from retouch.recipes.policy.english.tools.coded_values import with_codes
from retouch.recipes.policy.english.tools.label_arguments import without_hiding
from retouch.recipes.policy.english.tools.products import of_named_product
from retouch.recipes.policy.english.tools.project_paths import with_numbers
from retouch.recipes.policy.english.words import idioms
from retouch.recipes.policy.english.words.scanning import UNTESTED, Unclear
from retouch.recipes.policy.english.words.sentences import CallAction, Mood, Sentence, ToolPart
from retouch.recipes.policy.english.words.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.english.checking.agreeing_tools import Part
    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning
    from retouch.recipes.policy.english.words.tokens import Token
    from retouch.recipes.policy.language.values import Limit

NOT_UNDERSTOOD = "the sentence is not understood"
MOST_ENDINGS = 6  # that are left out
_PERMITS = re.compile(idioms.PERMITTING)
_ADDING = frozenset({"too", "also", "even"})


def sentences_in(clause: Clause, number: int, toolbox: Toolbox, *, lenient: bool, led: bool) -> tuple[Sentence, ...]:
    """Return what a clause means for the tools at hand, one sentence per mood. Empty if it is about other tools.

    `lenient`: there are other servers, so that an object without a tool here may have one there. `led`: a heading or
    a line that ends in a colon comes before the clause, so that a bare command is no permission.

    Raises:
        Unclear: the clause is not understood, has two meanings, or no tool here does what it says.
    """
    if not lenient and (of_home := home_meaning(clause.text, toolbox, led=led)) is not None:
        return tuple(sentences_of(clause, number, of_home))
    toolbox = of_named_product(clause.text, toolbox)
    if not (led or lenient) and (whole := _of_all_tools(clause.text, toolbox)) is not None:
        return tuple(sentences_of(clause, number, whole))
    service = None if led else _of_service(clause.text, toolbox)
    meaning = _in_full(clause.text, toolbox, lenient=lenient, led=led) if service is None else service
    found = with_codes(tuple(sentences_of(clause, number, meaning)), toolbox.tools)
    refuse_idle_tests(found, toolbox.tools)
    return found


def _in_full(text: str, toolbox: Toolbox, *, lenient: bool, led: bool) -> Meaning:
    """Return what a sentence means, with all ways to what it restricts, and without what it does not permit."""
    text = with_moved_events(with_opened_things(text, toolbox), toolbox)
    text = with_read_channels(text, toolbox)
    closed = None if led else _closed(text, toolbox, lenient=lenient)
    meaning = _understood(text, toolbox, lenient=lenient, led=led) if closed is None else closed
    meaning = with_second_ways(without_remark(text, meaning), known_tokens(text, toolbox), toolbox)
    meaning = sparing(in_all_ways(meaning, text, toolbox), text, toolbox)
    meaning = without_hiding(with_kinds(meaning, text, toolbox.tools), toolbox.tools)
    return with_numbers(with_glob_patterns(meaning, toolbox.tools, toolbox.frame.home), toolbox.tools)


def _of_service(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about a mailbox or a chat means, alone or after a permission. None if it is another one.

    Raises:
        Unclear: it is one, and a tool may do what it says in a way that no test sees.
    """
    read = partial(_in_full, toolbox=toolbox, lenient=False, led=False)
    return meaning_of_service(text, toolbox) or permission_but_service(text, toolbox, read)


def _of_all_tools(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return the meaning by a reader that looks at every tool itself, so that none is missing, or None."""
    tokens = tokens_of(text)
    readers = (meaning_of_page_size, meaning_of_public_replies, browser_meaning)
    found = next((meaning for read in readers if (meaning := read(tokens, toolbox)) is not None), None)
    return found or sql_meaning(text, toolbox)


def _understood(text: str, toolbox: Toolbox, *, lenient: bool, led: bool) -> Meaning:
    """Return what a sentence means by the first reader that understands it.

    Raises:
        Unclear: none does.
    """
    read = partial(_meaning, toolbox=toolbox, lenient=lenient, led=False)
    direct = direct_meaning(text, toolbox, partial(_in_any_form, toolbox=toolbox, lenient=False, led=led))
    direct = direct or copying_meaning(text, toolbox)
    text = with_payment_terms(with_said_currency(text, toolbox), toolbox)
    direct = direct or bounded_meaning(text, partial(_understood, toolbox=toolbox, lenient=lenient, led=led))
    try:
        meaning = (
            direct
            or meaning_of_read_only(text, toolbox)
            or meaning_of_changes(text, toolbox)
            or _of_attribute(text, toolbox)
            or _in_any_form(text, toolbox, lenient=lenient, led=led)
        )
        refuse_mixed(text, meaning, read)
    except Unclear as error:
        meaning = None if led else closed_meaning(text, toolbox, read) or two_meanings(text, read)
        if meaning is None and not led and error.why.startswith("'only' needs"):
            meaning = only_meaning(text, toolbox, read)
        acts = ordered_acts(text, toolbox, led=led) if meaning is None else None
        meaning = meaning if acts is None else meaning_of_order(acts, read, toolbox, lenient=lenient)
        if meaning is None:
            raise
    return meaning


def _closed(text: str, toolbox: Toolbox, *, lenient: bool) -> Meaning | None:
    """Return the meaning of a permission after which nothing else is: "and do nothing else", "only use the x tool"."""
    if (named := only_tools_meaning(text, toolbox)) is not None:
        return named
    with suppress(Unclear):
        return closed_meaning(text, toolbox, partial(_meaning, toolbox=toolbox, lenient=lenient, led=False))
    return None


def _of_attribute(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return the meaning of a sentence about an attribute, such as a status, or about money. None if it is another one.

    Raises:
        Unclear: it is one, and a tool may do what it says in a way that no test sees.
    """
    tokens = known_tokens(text, toolbox)
    readers = (meaning_of_attribute, meaning_of_repeating, meaning_of_money)
    found = next((meaning for read in readers if (meaning := read(tokens, toolbox)) is not None), None)
    return found or sql_meaning(text, toolbox)


def _in_any_form(text: str, toolbox: Toolbox, *, lenient: bool, led: bool) -> Meaning:
    """Return the meaning of a sentence, with its values without their nouns if it is not understood with them."""
    try:
        return _meaning(text, toolbox, lenient=lenient, led=led)
    except Unclear:
        shorter = with_bare_values(text, toolbox)
        with suppress(Unclear):
            if shorter != text:
                return _meaning(shorter, toolbox, lenient=lenient, led=led)
        raise


def _meaning(text: str, toolbox: Toolbox, *, lenient: bool, led: bool) -> Meaning:
    if not (led or lenient) and (of_sql := sql_meaning(text, toolbox)) is not None:
        return of_sql
    text = in_known_words(text, toolbox)
    tokens = tokens_of(text)
    bounds = _bounds(tokens, toolbox, led=led)
    try:
        return _read(text, tokens, toolbox, lenient=lenient, led=led, bounds=bounds)
    except Unclear:
        if led or lenient or (of_values := family_meaning(known_tokens(text, toolbox), toolbox)) is None:
            raise
        return of_values


def _bounds(tokens: tuple[Token, ...], toolbox: Toolbox, *, led: bool) -> Bounds:
    """Return the tools that a sentence restricts if its time or exception is left out, if it makes sense so."""
    timeless = without_time(tokens, toolbox.words)
    bare = timeless or without_exception(tokens, toolbox.words)
    if not bare:
        return Bounds()
    text = " ".join(f'"{one.raw}"' if one.quoted else one.raw for one in bare)
    try:
        tools = _restricted(_read(text, bare, toolbox, lenient=False, led=led, bounds=Bounds()))
    except Unclear:
        return Bounds()
    return Bounds(tools=tools, exact=bool(timeless))


def _read(
    text: str, tokens: tuple[Token, ...], toolbox: Toolbox, *, lenient: bool, led: bool, bounds: Bounds
) -> Meaning:
    """Return the first meaning of a sentence against which nothing speaks. `tokens` are the words of `text`.

    `bounds` are the tools that it can restrict.

    Raises:
        Unclear: as for `sentences_in`.
    """
    whys: list[str] = []
    by_frames: list[str] | None = None
    doubts: list[str] = []
    plain = _in_plain_words(tokens, toolbox)
    if leaves_command(plain, toolbox.verbs):
        raise Unclear("a command with a limit permits nothing; write 'never more than', or 'you may'")
    for said, found, more in _readings(plain, toolbox, lenient=lenient, led=led):
        whys += more
        by_frames = more if by_frames is None else by_frames
        known = tuple(widened(one, said, toolbox) for one in found)
        meanings = widest(one for one in known if bounds.fit(_restricted(one)) or _is_of_things(one))
        meanings = in_one_place(meanings)
        if known and not meanings:
            doubts.append("without its time or exception it is about other tools")
        if len({(one.allow, one.ask, one.never | one.excepted) for one in meanings}) > 1:
            raise Unclear("it can be read in two ways; write one sentence for each action, with its own place")
        if meanings and not lenient and not any(one.parts for one in meanings):
            whys.append("no tool here does this")
        elif meanings:
            meaning = max(meanings, key=lambda one: len(one.never))  # an exception of a permission is a prohibition
            parts = tuple(_parts_of(meaning))
            doubt = _untested(plain, by_frames, parts) or _doubt(text, said, parts, toolbox)
            if not doubt:
                return meaning
            doubts.append(doubt)
    if doubts:
        raise Unclear(f"it is not sure that it is understood: {doubts[0]}; say it in other words")
    raise Unclear(whys[0] if whys else NOT_UNDERSTOOD)


def known_tokens(text: str, toolbox: Toolbox) -> tuple[Token, ...]:
    """Return the words of a sentence as the readers know them.

    Raises:
        Unclear: a character cannot be read.
    """
    return plain_words(_in_plain_words(tokens_of(in_known_words(text, toolbox)), toolbox))


def meanings_in_doubt(text: str, toolbox: Toolbox) -> Iterator[Meaning]:
    """Yield the meanings of all readings of a sentence that is refused, whatever speaks against them.

    Raises:
        Unclear: no more readings can be found.
    """
    tokens = tokens_of(in_known_words(text, toolbox))
    plain = _in_plain_words(tokens, toolbox)
    for said, found, _ in _readings(plain, toolbox, lenient=False, led=False):
        yield from (widened(one, said, toolbox) for one in found if one.parts)


def _in_plain_words(tokens: tuple[Token, ...], toolbox: Toolbox) -> tuple[Token, ...]:
    """Return the words of a sentence with forms of written English replaced by plain ones."""
    plain = with_plain_negations(with_plain_verdicts(tokens), toolbox.verbs)
    return in_counted_form(in_plain_form(plain), toolbox.verbs)


def _is_of_things(meaning: Meaning) -> bool:
    """Return whether a meaning tests the times of things, which not every tool for them has."""
    tests = (limit for one in (*meaning.never, *meaning.ask) for limit in (*one.where, *one.unless))
    return any(limit.arg and (limit.hours or limit.days) for limit in tests)


def _restricted(meaning: Meaning) -> frozenset[tuple[str, str]]:
    """Return the tools that a meaning restricts, each with its server."""
    return frozenset((one.server, one.tool) for one in (*meaning.never, *meaning.ask, *meaning.excepted))


def _untested(tokens: Sequence[Token], whys: Iterable[str], parts: Sequence[Part]) -> str:
    """Return which tool a restriction leaves out although the frames found it meant, and not tested. "" if none.

    What "touches" an account are the calls that name it, and a tool for one thing does not do several "at once".
    """
    words = [one.text for one in tokens]
    if any(word.startswith("touch") for word in words) or ("at", "once") in pairwise(words):
        return ""
    restricted = {part.tool for mood, _, part in parts if mood != "allow"}
    told = restricted | {part.tool for mood, _, part in parts if mood == "allow" and not part.where}
    left = (tool for why in whys for tool in UNTESTED.findall(why) if restricted and tool not in told)
    return next((f"{tool} has no argument for what is said" for tool in left), "")


def _readings(
    tokens: tuple[Token, ...], toolbox: Toolbox, *, lenient: bool, led: bool
) -> Iterator[tuple[tuple[Token, ...], Iterable[Meaning], list[str]]]:
    """Yield the meanings by the frames, by the words, and by the parts, with the words that were read.

    By words and parts only a sentence is read that has no tool for the frames, or of which another reading is in doubt.
    """
    found, whys = first_meanings(tokens, toolbox, lenient=lenient, led=led)
    yield tokens, found, whys
    shorter = () if found else shortened(plain_words(tokens), toolbox.verbs, toolbox.nouns)
    for short in islice(shorter, MOST_ENDINGS):
        found, more = first_meanings(short, toolbox, lenient=lenient, led=led)
        whys = whys or more
        yield short, found, more
        if found:
            break
    if found or all(one.startswith(NOT_FOUND) for one in whys):
        plain = plain_words(tokens)
        found, whys = by_their_words(plain, toolbox)
        yield plain, found, whys
        yield plain, joined_meanings(plain, toolbox, led=led), []
    plain = plain_words(tokens)
    for short in islice((plain, *shortened(plain, toolbox.verbs, toolbox.nouns)), MOST_ENDINGS):
        found, whys = loose_meanings(short, toolbox, led=led)
        yield short, found, whys
        if found:
            return
    active = in_active_form(plain, toolbox.verbs)
    if active is not None:
        found, whys = first_meanings(active, toolbox, lenient=lenient, led=led)
        yield active, found, whys
        if not found:
            found, whys = loose_meanings(active, toolbox, led=led)
            yield active, found, whys


def _doubt(text: str, tokens: tuple[Token, ...], parts: tuple[Part, ...], toolbox: Toolbox) -> str:
    """Return why a reading may be wrong. "" if nothing speaks against it."""
    permits = _PERMITS.match(" ".join(one.text for one in tokens)) is not None
    if parts and (
        all(excepted for _, excepted, _ in parts) or (permits and all(mood != "allow" for mood, _, _ in parts))
    ):
        return "no tool shows what it permits"
    allowed = [replace(part, unless=()) for mood, _, part in parts if mood == "allow"]
    if any(part in allowed for mood, _, part in parts if mood != "allow"):
        return "it permits and restricts the same calls"
    if _joins_alternatives(tokens, parts):
        return "it may be about each of two things, and not only about both at once"
    return (
        disagreement(text, parts, toolbox)
        or lost_name(text, tokens, parts, toolbox)
        or unexplained(tokens, parts, toolbox)
        or wrong_tool(tokens, parts, toolbox)
        or lost_word(text, tokens, parts, toolbox)
    )


def _joins_alternatives(tokens: tuple[Token, ...], parts: tuple[Part, ...]) -> bool:
    """Return whether "force push or push to main" is read as a restriction of calls that are both.

    An "or" between several values of one argument is none.
    """
    said = [one.raw.lower() for one in tokens]
    strict = any(mood != "allow" and part.where for mood, _, part in parts)
    if strict and ("or", "anything") in pairwise(said):
        return True  # "do not scale above 10 replicas or anything in production"
    if "or" not in said and _ADDING.isdisjoint(said):
        return False
    for mood, _, part in parts:
        given = {one.arg for one in part.where if one.state != "present"}
        tests = [one for one in part.where if not one.is_total and (one.state != "present" or one.arg not in given)]
        listed = any(len(_said_values(one, said)) > 1 for one in tests)
        overnight = any(span[:5] > span[6:] for one in tests for span in one.hours)  # "before 8:30 or after 17:00"
        alone = sum((one.server, one.tool) == (part.server, part.tool) for other, _, one in parts if other == mood) == 1
        if mood != "allow" and alone and len(tests) > 1 and not listed and not overnight:
            return True
    return False


def _said_values(limit: Limit, said: Sequence[str]) -> set[object]:
    """Return the values of a test that a sentence says."""
    words = {*said, *(word.rstrip("s") for word in said)}
    texts = {one: str(one).lower() for one in limit.values}
    return {one for one, text in texts.items() if text in words or not words.isdisjoint(re.split(r"[\W_]+", text))}


def _by_mood(meaning: Meaning) -> tuple[tuple[Mood, bool, frozenset[ToolPart]], ...]:
    """Return the parts of a meaning, each with its mood, and whether it is the exception of a permission."""
    return (
        ("never", False, meaning.never),
        ("ask", False, meaning.ask),
        ("never", True, meaning.excepted),
        ("allow", False, meaning.allow),
    )


def _in_order(parts: Iterable[ToolPart]) -> tuple[ToolPart, ...]:
    return tuple(sorted(parts, key=lambda one: (one.server, one.tool, str(one.where), str(one.unless))))


def _parts_of(meaning: Meaning) -> Iterator[Part]:
    for mood, excepted, parts in _by_mood(meaning):
        for part in _in_order(parts):
            yield mood, excepted, part


def sentences_of(clause: Clause, number: int, meaning: Meaning) -> Iterator[Sentence]:
    """Yield the sentences that a clause with this meaning stands for, one per mood."""
    for mood, excepted, parts in _by_mood(meaning):
        if parts:
            action = CallAction(parts=_in_order(parts))
            yield Sentence(
                number=number, line=clause.line, quote=clause.text, mood=mood, action=action, excepted=excepted
            )
