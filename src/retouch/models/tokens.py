"""Estimates the number of tokens of a text, without a vocabulary and without a network.

Byte-pair vocabularies first cut a text into pieces: a word with the space before it, up to three digits, a run of
punctuation, a run of blanks. Counting such pieces is more accurate than counting bytes, in any language.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.engine.types import Request

_PIECE = re.compile(
    r"""[^\r\na-zA-Z0-9]?[A-Z]?[a-z]{1,7}   # a word or one hump of a camel, with the space or mark before it
    | [^\r\na-zA-Z0-9]?[A-Z]{1,4}           # capitals
    | [0-9]{1,3}
    | \s*[\r\n]+                            # line ends with the blanks before them
    | [^\S\r\n]+                            # indentation
    | [ ]?[!-/:-@\[-`{-~]{1,3}[\r\n]*       # punctuation, often one token with the line end behind it
    | [^\x00-\x7f]{1,2}                     # other scripts: about two characters for one token
    | .""",
    re.VERBOSE | re.DOTALL,
)
_TURN_TOKENS = 4
_CACHED_TEXTS = 256


def estimate_tokens(text: str) -> int:
    """Return the approximate number of tokens of `text` for a current model.

    Expect an error of about ten per cent for English and source code, more for other scripts and for random text. A
    provider's reply has the exact count. The time is proportional to the length: more than 5 MB per second.
    """
    return len(_PIECE.findall(text))


def cut_to_tokens(text: str, limit: int) -> str:
    """Return the longest prefix of `text` with at most `limit` estimated tokens."""
    ends = [0, *(piece.end() for piece in islice(_PIECE.finditer(text), max(limit, 0)))]
    return text[: ends[-1]]


@lru_cache(maxsize=_CACHED_TEXTS)
def system_tokens(text: str) -> int:
    """Return `estimate_tokens` of a text that many requests share, cached per process."""
    return estimate_tokens(text)


def request_tokens(request: Request, *, messages: int | None = None) -> int:
    """Return the approximate number of input tokens of `request`: its system text, its messages, a few per turn.

    `messages` limits the number of counted messages. The system text is counted once per process, because the pages of
    a run share it.
    """
    turns = sum(estimate_tokens(message.text) + _TURN_TOKENS for message in request.messages[:messages])
    return system_tokens(request.system) + turns
