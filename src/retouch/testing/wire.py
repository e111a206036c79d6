"""What the dialects of providers have in common once a body is read, and before an answer is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.engine.types import Message, Reply


class WireRefusal(Exception):
    """A request that a provider would answer with an error: `status`, and the provider's word for it."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


@dataclass(frozen=True, kw_only=True)
class PromptBlock:
    """One block of a prompt in the order in which a provider reads it; `ttl_s` is set where a cache marker stands."""

    role: str
    text: str
    ttl_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class WireCall:
    """One call as it came over the wire.

    `look_back_blocks` is over how many blocks a cache is searched from each marker: 1 for the marker's own place only.
    """

    model: str
    blocks: Sequence[PromptBlock]
    system: str
    messages: tuple[Message, ...]
    max_output_tokens: int
    temperature: float | None = None
    stream: bool = False
    usage_in_stream: bool = True
    cache_key: str = ""
    caches_by_itself: bool = False
    look_back_blocks: int = 20


@dataclass(frozen=True, kw_only=True)
class WireUsage:
    """What a provider says it counted; `total` holds `read` and `written`, of which `written_1h` for an hour."""

    total: int
    read: int = 0
    written: int = 0
    written_1h: int = 0


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer before it is put into a provider's words."""

    id: str
    asked: WireCall
    reply: Reply
    usage: WireUsage


class Dialect(Protocol):
    """How one provider's API spells requests, answers, streams and errors."""

    def read(self, body: Any) -> WireCall:
        """Return the call that `body` asks for; raises `WireRefusal` as the provider would."""
        ...

    def whole(self, answered: Answered) -> Mapping[str, Any]:
        """Return the body of an answer that is not streamed."""
        ...

    def events(self, answered: Answered, pieces: Sequence[str]) -> Iterator[bytes]:
        """Yield the server-sent events of an answer whose text comes in `pieces`; the last ones end the stream."""
        ...

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        """Return the body of an error."""
        ...

    def error_event(self, kind: str, message: str) -> bytes:
        """Return the event that breaks off a stream which has begun."""
        ...


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Return whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Return whether `value` is a JSON array."""
    return isinstance(value, list)


def pieces_of(text: str, *, most: int = 40) -> list[str]:
    """Return `text` in up to `most` pieces of about equal length, none of them empty."""
    step = max(-(-len(text) // most), 12)
    return [text[start : start + step] for start in range(0, len(text), step)]


def blocks_of(content: Any, where: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the text blocks of a content with their other keys.

    Raises:
        Refused: a block is not text.
    """
    if isinstance(content, str):
        return [(content, {})]
    if not is_list(content):
        raise WireRefusal(400, "invalid_request_error", f"{where}: content must be a string or a list of blocks")
    found: list[tuple[str, Mapping[str, Any]]] = []
    for block in content:
        if not is_object(block) or not isinstance(block.get("text"), str):
            raise WireRefusal(400, "invalid_request_error", f"{where}: only text blocks are understood here")
        found.append((block["text"], block))
    return found


def number_of(body: Mapping[str, Any], *names: str) -> int | None:
    """Return the first of the named whole numbers that `body` holds.

    Raises:
        Refused: it is not a whole number of 0 or more.
    """
    for name in names:
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise WireRefusal(400, "invalid_request_error", f"{name}: must be a whole number of 0 or more")
        return value
    return None


def messages_of(body: Any) -> Sequence[Mapping[str, Any]]:
    """Return the messages of a body that names a model.

    Raises:
        Refused: the body is no object, names no model or has no messages.
    """
    if not is_object(body) or not isinstance(body.get("model"), str):
        raise WireRefusal(400, "invalid_request_error", "model: field required")
    messages: Any = body.get("messages")
    if not is_list(messages) or not messages or not all(is_object(one) for one in messages):
        raise WireRefusal(400, "invalid_request_error", "messages: at least one message is required")
    return messages
