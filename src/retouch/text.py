"""What models wrap around answers: reasoning, prose, fences; JSON inside text; answers that repeat without end."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, NoReturn, cast

from retouch.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from retouch._lib.json_text import JSON


_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`\r\n]*)$", re.MULTILINE)
_THINKING = re.compile(r"\A\s*<(think|thinking|reasoning)>(.*?)</\1>\s*", re.DOTALL)
_ONLY_THINKING = re.compile(r"\A\s*<(think|thinking|reasoning)>(?!.*</\1>)", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_OPENING = re.compile(r"[{\[]")
_STARTS_JSON = re.compile(r'\{\s*"(?:\\.|[^"\\])*"\s*:|\[\s*(?:[{"]|\[\s*[\[{"])')
_BRACKET_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|[\[\]{}]')


@dataclass(frozen=True, kw_only=True)
class Fenced:
    """One fenced block: its text without the fence, its language ("" when none), and its position in the reply.

    `closed` is False when the reply ended inside it. `start` and `end` include the fence lines.
    """

    text: str
    language: str
    closed: bool
    start: int
    end: int


def well_formed(text: str) -> str:
    """Return `text` with lone surrogates joined or replaced, because files cannot contain them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def without_thinking(reply: str) -> str:
    """Return the reply without a leading block of reasoning in tags and without a byte order mark.

    A reply that ends inside of its reasoning has no answer: what is left is "".
    """
    text = reply.removeprefix("\ufeff")
    return "" if _ONLY_THINKING.match(text) else _THINKING.sub("", text, count=1)


def leading_reasoning(reply: str) -> str:
    """Return the reasoning in tags at the start of a reply, "" if it starts with something else.

    It stays in the reply as received; `without_thinking` returns the rest. Tags further on belong to the answer.
    """
    found = _THINKING.match(reply.removeprefix("\ufeff"))
    return "" if found is None else found[2].strip()


def fenced_blocks(reply: str, *, nested: bool = False) -> list[Fenced]:
    """Return the fenced blocks in order; a fence is closed by at least as many of its own marks, alone on a line.

    If they may be `nested`, a fence with a language inside of a block opens an inner one, which is part of its text.
    """
    blocks: list[Fenced] = []
    position = 0
    while (opening := _FENCE.search(reply, position)) is not None:
        body = min(opening.end() + 1, len(reply))
        closing = _closing(reply, body, opening["mark"], nested=nested)
        stop = len(reply) if closing is None else closing.start()
        position = len(reply) if closing is None else closing.end()
        text = reply[body:stop].removesuffix("\n").removesuffix("\r")
        language = opening["info"].strip().partition(" ")[0].lower()
        blocks.append(
            Fenced(text=text, language=language, closed=closing is not None, start=opening.start(), end=position)
        )
    return blocks


def _closing(reply: str, position: int, mark: str, *, nested: bool) -> re.Match[str] | None:
    marks = [mark]  # of the open blocks, the inner ones last
    for found in _FENCE.finditer(reply, position):
        if not found["mark"].startswith(marks[-1]):
            continue
        if found["info"].strip():
            marks += [found["mark"]] if nested else []
        elif len(marks) == 1:
            return found
        else:
            marks.pop()
    return None


def code_in(reply: str, *, languages: tuple[str, ...] = ()) -> str:
    """Return the code of a reply: its one fenced block, else the longest in one of `languages`, else the reply itself.

    Reasoning in tags is left out first. A reply that ends inside its fence returns what is there: the checks decide
    whether it is complete. Prose without any fence is included: it cannot be distinguished from code.
    """
    text = without_thinking(reply)
    blocks = fenced_blocks(text)
    wanted = [block for block in blocks if block.language in languages] or blocks
    return max(wanted, key=lambda block: len(block.text)).text if wanted else text


def json_in(reply: str) -> JSON:
    """Return the JSON value of a reply: the whole of it, a fenced block, or the longest object or list inside prose.

    Trailing commas are forgiven. Numbers that are not JSON (NaN, Infinity, 1e999), integers of thousands of digits, and
    objects with a duplicate property are not.

    Raises:
        Invalid: there is none; the message names the line and column of what broke first.
    """
    failure: list[json.JSONDecodeError] = []
    for value in json_values(reply, failure):
        return value
    first = failure[0] if failure else None
    where = "it ends inside of its reasoning" if _ONLY_THINKING.match(reply.removeprefix("\ufeff")) else "it is empty"
    where = f"line {first.lineno} column {first.colno}: {first.msg}" if first is not None else where
    fix = "Reply with one JSON value and nothing else."
    raise Invalid("INVALID_JSON", f"the reply is not JSON: {where}", fix=fix, line=first.lineno if first else None)


def json_values(reply: str, failures: list[json.JSONDecodeError] | None = None) -> Iterator[JSON]:
    """Yield every JSON value of a reply, the likeliest first: fenced blocks, the whole, then the longest inside prose.

    What cannot be parsed on the way is added to `failures`.
    """
    text = without_thinking(reply).strip()
    for candidate in chain(_candidates(text), _longest_first(text)):
        try:
            value = _parsed(candidate)
        except json.JSONDecodeError as error:
            if failures is not None:
                failures.append(error)
            continue
        except RecursionError:
            return
        yield value
        if candidate is text and isinstance(value, (dict, list)):
            return  # nothing else is inside of it


def is_contradicted(found: JSON, reply: str, names: Collection[str]) -> bool:
    """Return whether a reply has another object than `found` with one of the properties `names`, or a broken one later.

    For example a draft before the final answer, or a final answer that is cut off. It is unknown which one is meant.
    """
    broken: list[json.JSONDecodeError] = []
    folded = {name.casefold() for name in names}
    for other in json_values(reply, broken):
        if (
            isinstance(other, dict)
            and not is_same_json(other, found)
            and not folded.isdisjoint(map(str.casefold, other))
        ):
            return True
    return bool(broken) and _is_broken_after(found, without_thinking(reply).strip(), folded)


def is_same_json(one: JSON, other: JSON) -> bool:
    """Return whether two values are the same. For Python, true is 1, and in JSON it is not."""
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _is_broken_after(found: JSON, text: str, names: Collection[str]) -> bool:
    """Return whether an object with one of `names` is broken and follows after `found`; if that is a list, any list."""
    marks = [json.dumps(name, ensure_ascii=False) for name in names]
    is_broken = False
    for piece in _embedded(text):
        try:
            is_broken = not is_same_json(_parsed(piece), found) and is_broken
        except json.JSONDecodeError:
            is_broken |= isinstance(found, list) and piece[0] == "["
            is_broken |= any(map(piece.casefold().__contains__, marks))
        except RecursionError:
            return True
    return is_broken


def _candidates(text: str) -> Iterator[str]:
    blocks = sorted(fenced_blocks(text), key=lambda block: (block.language == "json", len(block.text)), reverse=True)
    yield from (block.text for block in blocks if block.text.strip())
    if text:
        yield text


def _parsed(text: str) -> JSON:
    try:
        return _strict(text)
    except json.JSONDecodeError:
        return _strict(_without_trailing_commas(text))


class _Refused(Exception):
    """What makes a JSON text ambiguous: a name or number in it, and why it is refused."""

    def __init__(self, name: str, why: str = "is not JSON") -> None:
        self.name, self.why = name, why


def _refused_constant(name: str) -> NoReturn:
    raise _Refused(name)


def _number(digits: str) -> float:
    found = float(digits)
    if not isfinite(found):
        raise _Refused(digits, "is too large for a number")
    return found


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python reads no integer of more than 4,300 digits
        raise _Refused(digits, "is too long for a number") from None


def _fields(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Refused(json.dumps(twice, ensure_ascii=False), "occurs twice in one object")
    return found


_STRICT = json.JSONDecoder(
    parse_constant=_refused_constant, parse_float=_number, parse_int=_integer, object_pairs_hook=_fields
)
_SHOWN = 40  # characters of what is refused, in the message


def _strict(text: str) -> JSON:
    """Return the value of a JSON text. A duplicate name in an object, and a number beyond floats, are refused:
    readers disagree about what they mean.
    """
    try:
        return cast("JSON", _STRICT.decode(text))
    except _Refused as refused:
        name = refused.name if len(refused.name) <= _SHOWN else f"{refused.name[:_SHOWN]}..."
        raise json.JSONDecodeError(f"{name} {refused.why}", text, max(text.find(refused.name), 0)) from None


def _without_trailing_commas(text: str) -> str:
    """Drop commas before a closing bracket, but none inside a string."""
    parts = re.split(r'("(?:\\.|[^"\\])*")', text)
    parts[::2] = [_TRAILING_COMMA.sub("", part) for part in parts[::2]]
    return "".join(parts)


def _longest_first(text: str) -> Iterator[str]:
    yield from sorted(_embedded(text), key=len, reverse=True)


def _embedded(text: str) -> Iterator[str]:
    """Yield the objects and lists inside prose, outermost only. A part of a broken one is no value of its own."""
    decoder = json.JSONDecoder(parse_int=str)  # only the end is of interest, also that of an endless integer
    position = 0
    while (opening := _OPENING.search(text, position)) is not None:
        start = opening.start()
        try:
            _, position = decoder.raw_decode(text, start)
            yield text[start:position]
        except json.JSONDecodeError:
            position = _end_of_broken(text, start) if _STARTS_JSON.match(text, start) else start + 1
            yield from [text[start:position]] if position > start + 1 else ()
        except RecursionError:
            return


def _end_of_broken(text: str, start: int) -> int:
    """Return the end of the object or list at `start`, which is not JSON: the end of the text if it stays open."""
    depth = 0
    for found in _BRACKET_OR_STRING.finditer(text, start):
        if found[0] in "{}[]":
            depth += 1 if found[0] in "{[" else -1
        if not depth:
            return found.end()
    return len(text)


class LoopDetector:
    """Finds out, piece by piece, whether a text repeats one block without end.

    A text is a loop if it ends with at least three exact copies of a block of 120 characters or more, and all copies
    after the first have at least 400 characters together. Two kinds of text repeat for a good reason, so they need
    more: elements of a JSON array (ten copies), and blocks shorter than 120 characters, such as rulers, blank cells and
    rows of zeros (2,000 characters). A block that `known` contains three times is a copy of the input, not a loop.

    detector = LoopDetector()
    detector.feed("Some text. ")          # False
    detector.feed("the same block ..." * 200)  # True
    detector.kept                         # "Some text. the same block ..."
    LoopDetector(text=reply).is_loop()    # for a text that arrived as a whole
    """

    _EVERY = 256  # characters between two looks
    _PROBE = 60
    _BLOCK, _COPIES, _REPEATED = 120, 3, 400
    _ELEMENTS = 10
    _SHORT_REPEATED = 2_000
    _WINDOW = 48_000
    _CANDIDATES = 24

    def __init__(self, known: Iterable[str] = (), *, text: str = "") -> None:
        self._known = tuple(known)
        self._pieces = [text]
        self._length = len(text)
        self._next_look = self._BLOCK * self._COPIES
        self.kept = ""

    @property
    def text(self) -> str:
        """The text so far."""
        if len(self._pieces) > 1:  # joined once per look: joining at each piece would be quadratic
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def feed(self, piece: str) -> bool:
        """Return whether the text so far, with `piece` at its end, is a loop; `kept` is then the text without it."""
        self._pieces.append(piece)
        self._length += len(piece)
        if self._length < self._next_look:
            return False
        self._next_look = self._length + self._EVERY
        return self.is_loop()

    def is_loop(self) -> bool:
        """Return whether the text so far is a loop."""
        tail = self.text[-self._WINDOW :]
        for period in self._periods(tail):
            start = _periodic_from(tail, period)
            if self._is_endless(tail[start:], period):
                self.kept = self.text[: self._length - len(tail) + start + period]
                return True
        return False

    def _periods(self, tail: str) -> Iterator[int]:
        """Yield the distances at which the end of the text occurred before, shortest first."""
        probe, at = tail[-self._PROBE :], len(tail) - self._PROBE
        found = at
        for _ in range(self._CANDIDATES):
            found = tail.rfind(probe, 0, found + len(probe) - 1)
            if found < 0:
                return
            yield at - found

    def _is_endless(self, repeated: str, period: int) -> bool:
        copies = len(repeated) // period
        again = len(repeated) - period
        if period < self._BLOCK:
            long_enough = again >= self._SHORT_REPEATED
        else:
            needed = self._ELEMENTS if self._is_array(repeated[:period]) else self._COPIES
            long_enough = copies >= needed and again >= self._REPEATED
        if not long_enough:
            return False
        sample = repeated[-max(self._COPIES * period, self._BLOCK) :]
        return not any(sample in text for text in self._known)

    def _is_array(self, block: str) -> bool:
        """Return whether the block is an element of a JSON array, or several of them."""
        first = _OPENING.search(self.text)
        begins = first is not None and not self.text[: first.start()].strip("`json \n\r\t")
        return begins and "," in block


def _periodic_from(text: str, period: int) -> int:
    """Return the start of the longest suffix of `text` that repeats itself every `period` characters."""
    low, high = period, len(text)  # the end from `high` on repeats; the shift that agrees is found by halving
    while low < high:
        middle = (low + high) // 2
        if text[middle:] == text[middle - period : len(text) - period]:
            high = middle
        else:
            low = middle + 1
    return high - period
