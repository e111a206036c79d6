"""Prompt caching as providers do it, so that a test can count what a prompt's layout is worth.

Anthropic: a marked block makes one entry of everything up to and including it, if that is long enough; a read looks
back from a marker over at most 20 blocks for an entry of an earlier request. OpenAI: every prompt of 1,024 tokens or
more is kept in steps of 128, with no marker; from GPT-5.6 on entries are made at breakpoints, explicit ones or one that
is set at the newest turn, and in explicit mode they are found at the request's own breakpoints only. An entry can be
read only once the response that wrote it has begun, and until its time is over; a read renews the time.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from retouch.models.tokens import estimate_tokens
from retouch.testing.wire import WireUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retouch.testing.wire import WireCall

OPENAI_FIRST_TOKENS, OPENAI_STEP_TOKENS, OPENAI_TTL_S = 1_024, 128, 600.0
_TOKEN = re.compile(r"\s?\w{1,7}|[^\w\s]{1,3}|\s+")


@dataclass(kw_only=True)
class _Entry:
    until: float
    ttl_s: float
    ready: bool = False


@dataclass(frozen=True, kw_only=True)
class CacheLookup:
    """What the cache did for one request: the usage to report, and the entries that its response will open."""

    usage: WireUsage
    opens: tuple[str, ...] = ()


class PromptCache:
    """All entries of one server.

    `writes` counts how often each prefix was written by a request whose response began, which is what is paid for: 1 is
    what a shared one should cost.

    `min_tokens` is the shortest prefix of an Anthropic entry. `clock` tells seconds; a test may turn it.
    """

    def __init__(self, *, min_tokens: int = 1_024, clock: Callable[[], float] = time.monotonic) -> None:
        self.min_tokens = min_tokens
        self.writes: Counter[str] = Counter()
        self._clock = clock
        self._entries: dict[str, _Entry] = {}

    @property
    def most_writes(self) -> int:
        """How often the prefix that was written most was written; 0 when none was."""
        return max(self.writes.values(), default=0)

    def lookup(self, asked: WireCall) -> CacheLookup:
        """Return what the cache does for `asked`, in the way of its provider."""
        return self.automatic(asked) if asked.caches_by_itself else self.marked(asked)

    def marked(self, asked: WireCall) -> CacheLookup:
        """Return what a cache with markers does for `asked`: reads and writes at its markers."""
        prefixes = list(_prefixes(asked))
        total = prefixes[-1][1] if prefixes else 0
        markers = [number for number, block in enumerate(asked.blocks) if block.ttl_s is not None]
        hit = max((self._read_prefix(prefixes, marker, asked.look_back_blocks) for marker in markers), default=-1)
        read = prefixes[hit][1] if hit >= 0 else 0
        opens: list[str] = []
        written = written_1h = 0
        for marker in markers:
            name, tokens = prefixes[marker]
            if marker <= hit or tokens < self.min_tokens:
                continue
            ttl_s = asked.blocks[marker].ttl_s or 0.0
            fresh = tokens - read - written
            written, written_1h = written + fresh, written_1h + (fresh if ttl_s > 300 else 0)
            opens.append(self._write_prefix(name, ttl_s))
        return CacheLookup(
            usage=WireUsage(total=total, read=read, written=written, written_1h=written_1h), opens=tuple(opens)
        )

    def automatic(self, asked: WireCall) -> CacheLookup:
        """Return what OpenAI's cache does for `asked`: steps of its prefix are read and kept without a marker."""
        names, total = _steps(asked)
        hits = [step for step, name in enumerate(names) if self._usable(name)]
        read = OPENAI_FIRST_TOKENS + OPENAI_STEP_TOKENS * hits[-1] if hits else 0
        fresh = names[hits[-1] + 1 :] if hits else names
        opens = [self._write_prefix(name, OPENAI_TTL_S) for name in fresh]
        return CacheLookup(usage=WireUsage(total=total, read=read), opens=tuple(opens))

    def begun(self, lookup: CacheLookup) -> None:
        """Let others read what `lookup` wrote: its response has begun."""
        for name in lookup.opens:
            self._entries[name].ready = True
            self.writes[name] += 1

    def _read_prefix(self, prefixes: Sequence[tuple[str, int]], marker: int, blocks: int) -> int:
        for number in range(marker, max(marker - blocks, -1), -1):
            if self._usable(prefixes[number][0]):
                return number
        return -1

    def _usable(self, name: str) -> bool:
        entry, now = self._entries.get(name), self._clock()
        if entry is None or not entry.ready or now >= entry.until:
            return False
        entry.until = now + entry.ttl_s
        return True

    def _write_prefix(self, name: str, ttl_s: float) -> str:
        entry = self._entries.get(name)
        ready = entry is not None and entry.ready and self._clock() < entry.until
        self._entries[name] = _Entry(until=self._clock() + ttl_s, ttl_s=ttl_s, ready=ready)
        return name


def _prefixes(asked: WireCall) -> Iterator[tuple[str, int]]:
    """Yield the name and the tokens of everything up to and including each block."""
    seen, tokens = sha256(f"{asked.model}\0{asked.cache_key}".encode()), 0
    for block in asked.blocks:
        seen.update(f"\0{block.role}\0{len(block.text)}\0".encode() + block.text.encode("utf-8", "surrogatepass"))
        tokens += estimate_tokens(block.text)
        yield seen.hexdigest(), tokens


def _steps(asked: WireCall) -> tuple[list[str], int]:
    """Return the names of a prompt's steps and its tokens."""
    seen, count = sha256(f"{asked.model}\0{asked.cache_key}".encode()), 0
    names: list[str] = []
    for block in asked.blocks:
        seen.update(f"\0{block.role}\0".encode())
        for token in _TOKEN.findall(block.text):
            seen.update(token.encode("utf-8", "surrogatepass"))
            count += 1
            over = count - OPENAI_FIRST_TOKENS
            if over >= 0 and over % OPENAI_STEP_TOKENS == 0:
                names.append(seen.hexdigest())
    return names, count
