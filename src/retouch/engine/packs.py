"""Packed requests: one request for several pages, whose answer is a JSON object with one property per page.

The prompts stay one per page. Only first answers with an answer schema are packed (`packing` decides which). A page
without a part in the answer is requested again alone. Three rules keep the pages apart:

- The keys are fixed words without an order of their own. A model that leaves out a page leaves out its key; with
  numbers it would be likely to renumber the rest. They are the same in each request, so that the schema is too.
- An answer with an unknown or duplicate key has no parts at all: it is not known which page it means.
- A page whose text contains a heading of a packed request is never packed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from math import floor
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.hashing import schema_text
from retouch.engine.call_events import PartReceived
from retouch.engine.types import RECORDED_COST, Message, Request
from retouch.text import fenced_blocks, without_thinking

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.engine.types import Prompt, Reply

_WORDS = """
maple copper lantern violet harbor quartz pepper meadow tiger velvet anchor ginger pebble comet walnut island saddle
ember orchid falcon marble cotton river bishop candle thunder olive rocket garden silver mirror dragon honey castle
willow nickel puzzle jungle feather magnet
"""
KEYS = tuple(_WORDS.split())
"""The keys of pages in the answer, in this order. Their number is the most pages that one request can have."""

MISSING = "missing"  # the finish of the part of a page that the answer leaves out
_HEADING = re.compile(r"===\s*\w+\s*===")  # anywhere: what ends a line, or starts one, is the model's guess
_COST_UNIT = 2.0**-40  # dollars; multiples of it add up exactly
_ROOTS = ("$defs", "definitions")


@dataclass(kw_only=True)
class PackedCall:
    """A packed request and its outcome. `attempts` are those of its pages so far, by their keys."""

    seq: int
    at: str
    why: str
    model: str
    request: Request
    reply: Reply | None = None
    error: str | None = None
    received: Reply | None = None
    seconds: float | None = None
    attempts: dict[str, int] = field(default_factory=dict[str, int])

    def is_first(self, key: str) -> bool:
        """Return whether the page with this key counts as the call; the other pages do not count."""
        return key == self.request.parts[0][0]

    def request_of(self, key: str) -> Request:
        """Return the request that would have been sent for one page alone."""
        prompt = next(prompt for known, prompt in self.request.parts if known == key)
        return Request(
            prompt=prompt,
            system=self.request.system,
            messages=(Message(role="user", text=prompt.user),),
            max_output_tokens=self.request.max_output_tokens,
            temperature=self.request.temperature,
            answer_schema=prompt.answer_schema,
        )

    def missing_parts(self) -> Iterator[PartReceived]:
        """Yield the rows of the pages that have no attempt yet, once the request has a reply or an error."""
        if self.reply is None and self.error is None:
            return
        if self.attempts.keys() >= {key for key, _ in self.request.parts}:
            return
        replies = replies_of_parts(self.request, self.reply) if self.reply is not None else {}
        for key, prompt in self.request.parts:
            if key not in self.attempts:
                yield PartReceived(
                    pack=self.seq,
                    key=key,
                    unit=prompt.unit,
                    page=prompt.page,
                    reply=replies.get(key),
                    error=self.error,
                )


def can_be_packed(prompt: Prompt) -> bool:
    """Return whether a page may share a request: it has an answer schema that can be a part of another."""
    schema = prompt.answer_schema
    return schema is not None and _is_embeddable(schema_text(schema)) and _HEADING.search(prompt.user) is None


@lru_cache(maxsize=64)
def _is_embeddable(schema: str) -> bool:
    """Return whether all references of a schema stay valid if its definitions move to the root of another."""
    return all(_refers_to_definition(node) for node in _nodes(json.loads(schema)))


def _nodes(value: Any) -> Iterator[Mapping[str, Any]]:
    inside: Any = ()
    if isinstance(value, dict):
        yield (node := cast("Any", value))
        inside = node.values()
    elif isinstance(value, list):
        inside = cast("Any", value)
    for one in inside:
        yield from _nodes(one)


def _refers_to_definition(node: Mapping[str, Any]) -> bool:
    if any(name in node for name in ("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef")):
        return False
    place = node.get("$ref", "#/$defs/")
    return isinstance(place, str) and place.startswith(("#/$defs/", "#/definitions/"))


def schema_of_pack(schema: Mapping[str, Any], keys: Sequence[str]) -> Mapping[str, Any]:
    """Return the JSON Schema of the answer for several pages with the same `schema`."""
    return _schema_of_pack(schema_text(schema), tuple(keys))


@lru_cache(maxsize=64)
def _schema_of_pack(schema: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    page: dict[str, Any] = json.loads(schema)
    roots = {name: page.pop(name) for name in _ROOTS if name in page}
    page.pop("$schema", None)
    definitions: dict[str, Any] = roots.pop("$defs", {})
    name = next(
        name for name in chain(("page",), (f"page{n}" for n in range(len(definitions) + 1))) if name not in definitions
    )
    return {
        "type": "object",
        "properties": {key: {"$ref": f"#/$defs/{name}"} for key in keys},
        "required": list(keys),
        "additionalProperties": False,
        **roots,
        "$defs": {**definitions, name: page},
    }


@cache
def _instructions() -> tuple[str, str]:
    """Return the text before the pages of a packed request and the text after them."""
    before, _, after = files("retouch.engine").joinpath("packed.txt").read_text(encoding="utf-8").partition("PAGES")
    return before.strip(), after.strip()


def segments_of(texts: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the pieces of a packed message. `texts` are the text of each page with its key."""
    before, after = _instructions()
    keys = ", ".join(f'"{key}"' for key, _ in texts)
    pages = chain.from_iterable((f"\n\n=== {key} ===\n", text) for key, text in texts)
    return f"{before.replace('KEYS', keys)}", *pages, f"\n\n{after.replace('KEYS', keys)}"


def packed_answer(request: Request, answers: Mapping[str, str]) -> str:
    """Return the answer to a packed request from the answer to each page, by its key.

    An answer that is no JSON becomes a JSON string. For models in this process, such as the offline one.
    """
    return (
        "{"
        + ", ".join(f"{json.dumps(key)}: {_as_json(answers[key])}" for key, _ in request.parts if key in answers)
        + "}"
    )


def _as_json(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return json.dumps(text)
    return text


def parts_of_answer(text: str, keys: Sequence[str], *, is_cut: bool = False) -> dict[str, str]:
    """Return the text of each page in the answer to a packed request, by its key, exactly as received.

    {} if the answer is no object, has an unknown or duplicate key, or if a key or another object follows it, which may
    correct it. If it `is_cut`, the pages that are complete are returned.
    """
    plain = without_thinking(text).strip()
    found = _members(plain, plain.find("{"), is_cut=is_cut)
    for block in fenced_blocks(plain):
        found = found or _members(plain, plain.find("{", block.start), is_cut=is_cut)
    if found is None:
        return {}
    members, end = found
    names = [name for name, _ in members]
    is_unclear = len(set(names)) < len(names) or not set(names) <= set(keys)
    rest = plain[end:]
    is_corrected = any(f'"{key}"' in rest for key in names) if is_cut else _may_correct(rest, keys)
    return {} if is_unclear or is_corrected else dict(members)


def _may_correct(rest: str, keys: Sequence[str]) -> bool:
    """Return whether the text after an answer has another object, or a key as a word."""
    return "{" in rest or not set(keys).isdisjoint(re.findall(r"[a-z]+", rest.lower()))


_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def _members(text: str, start: int, *, is_cut: bool) -> tuple[list[tuple[str, str]], int] | None:
    """Return the names and the JSON values, as text, of the object at `start`, and where it ends. None if it is broken.

    A value counts only once a comma or the closing bracket follows.
    """
    if start < 0:
        return None
    members: list[tuple[str, str]] = []
    position = complete = start + 1
    try:
        while True:
            position = _after_space(text, position)
            if text.startswith("}", position):
                return members, position + 1
            name, position = _DECODER.raw_decode(text, position)
            colon = _after_space(text, position)
            begin = _after_space(text, colon + 1)
            _, end = _DECODER.raw_decode(text, begin)
            position = _after_space(text, end)
            if not isinstance(name, str) or text[colon] != ":" or text[position] not in ",}":
                return None
            members.append((name, text[begin:end]))
            position += text[position] == ","
            complete = position
    except (IndexError, ValueError):  # an integer of thousands of digits is a ValueError
        return (members, complete) if is_cut else None
    except RecursionError:
        return None


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found is not None else position


def replies_of_parts(request: Request, reply: Reply) -> dict[str, Reply]:
    """Return the reply of each page of a packed request, by its key. Their usage adds up to that of `reply`, exactly.

    The finish of a page without a part is "missing". Reasoning and raw data stay with the whole reply.
    """
    keys = [key for key, _ in request.parts]
    is_cut = reply.finish == "length"
    texts = parts_of_answer(reply.text, keys, is_cut=is_cut) if is_cut or reply.finish == "end" else {}
    sizes = [1 + len(prompt.user) for _, prompt in request.parts]
    lengths = [1 + len(texts.get(key, "")) for key in keys]
    plain = _shares(reply.input_tokens - reply.cached_tokens - reply.written_tokens, sizes)
    cached, written = _shares(reply.cached_tokens, sizes), _shares(reply.written_tokens, sizes)
    visible = _shares(reply.output_tokens - reply.reasoning_tokens, lengths)
    reasoning = _shares(reply.reasoning_tokens, lengths)
    weights = [size + 4 * length for size, length in zip(sizes, lengths, strict=True)]
    recorded: float | None = reply.usage.get(RECORDED_COST)
    costs, earlier = _cost_shares(reply.cost, weights), _cost_shares(recorded, weights)
    return {
        key: replace(
            reply,
            text=texts.get(key, ""),
            finish="end" if key in texts else MISSING,
            input_tokens=plain[n] + cached[n] + written[n],
            cached_tokens=cached[n],
            written_tokens=written[n],
            output_tokens=visible[n] + reasoning[n],
            reasoning_tokens=reasoning[n],
            cost=costs[n],
            parts=(),
            reasoning="",
            usage={} if earlier[n] is None else {RECORDED_COST: earlier[n]},
        )
        for n, key in enumerate(keys)
    }


def _shares(total: int, weights: Sequence[int]) -> list[int]:
    """Return whole shares of `total` in proportion to the weights. They add up to it."""
    shares: list[int] = []
    seen, given, whole = 0, 0, sum(weights)
    for weight in weights:
        seen += weight
        shares.append(total * seen // whole - given)
        given += shares[-1]
    return shares


def _cost_shares(cost: float | None, weights: Sequence[int]) -> list[float | None]:
    """Return shares of `cost`. They add up to it exactly, in any order: all but the last are multiples of one unit."""
    if cost is None:
        return [None] * len(weights)
    whole = sum(weights)
    first = [floor(cost * weight / whole / _COST_UNIT) * _COST_UNIT for weight in weights[:-1]]
    return [*first, cost - sum(first)]
