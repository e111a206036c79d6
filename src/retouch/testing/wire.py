"""The common part of the providers' dialects: parsed requests, and answers before they are formatted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.engine.types import Message, Reply


class WireRefusal(Exception):
    """A request that a provider would reject with an error: its `status`, and the provider's name of it."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


@dataclass(frozen=True, kw_only=True)
class PromptBlock:
    """One block of a prompt in the provider's order. `ttl_s` is set if it has a cache marker."""

    role: str
    text: str
    ttl_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class WireCall:
    """One received call.

    `look_back_blocks` is the number of blocks searched in the cache from each marker; 1 means only the marker's
    position. `schema` is the parameter that describes the form of the answer, None if there is none.
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
    schema: Any = None


@dataclass(frozen=True, kw_only=True)
class WireUsage:
    """The usage that a provider reports. `total` includes `read` and `written` (`written_1h` of it for an hour)."""

    total: int
    read: int = 0
    written: int = 0
    written_1h: int = 0


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer before it is formatted for a provider."""

    id: str
    asked: WireCall
    reply: Reply
    usage: WireUsage


class Dialect(Protocol):
    """How one provider's API formats requests, responses, streams and errors."""

    def read(self, body: Any) -> WireCall:
        """Return the call in `body`. Raise `WireRefusal` as the provider would."""
        ...

    def whole(self, answered: Answered) -> Mapping[str, Any]:
        """Return the body of a response without streaming."""
        ...

    def events(self, answered: Answered, pieces: Sequence[str]) -> Iterator[bytes]:
        """Yield the server-sent events of a response whose text is sent in `pieces`. The last ones end the stream."""
        ...

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        """Return the body of an error."""
        ...

    def error_event(self, kind: str, message: str) -> bytes:
        """Return the event that aborts a stream."""
        ...


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Return whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Return whether `value` is a JSON array."""
    return isinstance(value, list)


def pieces_of(text: str, *, most: int = 40) -> list[str]:
    """Return `text` in up to `most` non-empty pieces of about equal length."""
    step = max(-(-len(text) // most), 12)
    return [text[start : start + step] for start in range(0, len(text), step)]


def blocks_of(content: Any, where: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the text blocks of a content with their other keys.

    Raises:
        WireRefusal: a block is not text.
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
    """Return the first of the named integers in `body`.

    Raises:
        WireRefusal: it is not an integer of 0 or more.
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
        WireRefusal: the body is not an object, names no model or has no messages.
    """
    if not is_object(body) or not isinstance(body.get("model"), str):
        raise WireRefusal(400, "invalid_request_error", "model: field required")
    messages: Any = body.get("messages")
    if not is_list(messages) or not messages or not all(is_object(one) for one in messages):
        raise WireRefusal(400, "invalid_request_error", "messages: at least one message is required")
    return messages
