"""Parses one response from its JSON values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch.models.wire import anthropic, bedrock, google, ollama, openai, responses
from retouch.models.wire.bodies import BodySplitter, Unreadable, WireValue
from retouch.models.wire.received import Counts, Received
from retouch.models.wire.shapes import object_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from retouch.engine.types import Finish
    from retouch.models.wire.bodies import Item

__all__ = ["Counts", "ResponseReader", "response_reader"]


@dataclass(frozen=True, kw_only=True)
class _Dialect:
    """How one protocol is parsed: its values, its usage, its finish reasons. Unknown reasons are errors."""

    fold: Callable[[Received, str, Mapping[str, Any]], None]
    count: Callable[[Mapping[str, Any]], Counts]
    finishes: Mapping[str, Finish]


_DIALECTS: Mapping[str, _Dialect] = {
    "anthropic": _Dialect(fold=anthropic.fold, count=anthropic.count, finishes=anthropic.FINISHES),
    "openai": _Dialect(fold=openai.fold, count=openai.count, finishes=openai.FINISHES),
    "responses": _Dialect(fold=responses.fold, count=openai.count, finishes=responses.FINISHES),
    "google": _Dialect(fold=google.fold, count=google.count, finishes=google.FINISHES),
    "ollama": _Dialect(fold=ollama.fold, count=ollama.count, finishes=ollama.FINISHES),
    "bedrock": _Dialect(fold=bedrock.fold, count=bedrock.count, finishes=bedrock.FINISHES),
}


def response_reader(dialect: str) -> ResponseReader:
    """Return a parser of one response in a protocol.

    These are anthropic, openai (chat completions), responses (of OpenAI), google, ollama (native), bedrock (Converse).

    reader = response_reader("openai")
    reader.feed(b'{"choices":[{"message":{"content":"4"},"finish_reason":"stop"}]}')
    reader.close()
    assert ("4", "end") == (reader.text, reader.finish(cap=100))
    """
    return ResponseReader(_DIALECTS[dialect])


class ResponseReader:
    """Parses one response; created by `response_reader`. Its properties are available at any time."""

    def __init__(self, dialect: _Dialect) -> None:
        self._dialect = dialect
        self._body = BodySplitter()
        self._got = Received()
        self._closed = False
        self.values = 0

    def feed(self, data: bytes) -> str:
        """Process some bytes and return the new text of the answer."""
        return self._take(self._body.feed(data))

    def close(self) -> str:
        """Process the end of the body and return the text that it completes."""
        self._closed = True
        return self._take(self._body.close())

    @property
    def parts(self) -> tuple[str, ...]:
        """The texts of the answer's blocks, as received."""
        return tuple(text for part in self._got.parts if (text := "".join(part)))

    @property
    def text(self) -> str:
        """The whole text of the answer, or of the refusal if there is nothing else."""
        return "".join(self.parts) or self.refusal

    @property
    def refusal(self) -> str:
        """The text of the model's refusal, or ""."""
        return "".join(self._got.refusal)

    @property
    def reasoning(self) -> str:
        """The model's reasoning, if the provider sent it separately from the answer."""
        return "".join(self._got.reasoning)

    @property
    def finish_raw(self) -> str:
        """The finish reason in the provider's spelling, or ""."""
        return self._got.finish_raw

    @property
    def usage(self) -> Mapping[str, Any]:
        """The provider's usage object as received. Later ones of a stream replace earlier ones and are never added."""
        return self._got.usage

    @property
    def counts(self) -> Counts:
        """The usage in tokens, zeros if there is none."""
        return self._dialect.count(self._got.usage)

    @property
    def model(self) -> str:
        """The model named in the response."""
        return self._got.model

    @property
    def id(self) -> str:
        """The id in the body."""
        return self._got.id

    @property
    def error(self) -> Mapping[str, Any]:
        """The error in the body, empty if there is none. It can follow a complete answer."""
        return self._got.error

    @property
    def unreadable(self) -> str:
        """The beginning of the first piece that is not JSON, or ""."""
        return self._got.unreadable

    @property
    def over(self) -> bool:
        """Whether the protocol's own end was read. Nothing after it belongs to the answer."""
        return self._got.over

    def finish(self, *, cap: int) -> Finish | None:
        """Return why the answer ended, or None if it is incomplete, an error, or not an answer.

        Some servers (Snowflake) give no reason. Their answer counts as complete if the protocol's end (`[DONE]`, or a
        whole JSON document) and its usage were read. It was truncated if it used all of `cap` tokens.
        """
        got = self._got
        if got.unreadable:
            return None
        if got.finish_raw:
            return "refused" if got.refusal else self._finish_named(got)
        if got.error or not (got.over or (self._closed and self._body.is_document)):
            return None
        if not got.usage or not (got.parts or got.tools or got.refusal):
            return None
        if got.refusal:
            return "refused"
        if got.tools:
            return "error"
        return "length" if self.counts.output_tokens >= cap else "end"

    def _finish_named(self, got: Received) -> Finish:
        return "filtered" if got.blocked else self._dialect.finishes.get(got.finish_raw, "error")

    def _take(self, items: Iterable[Item]) -> str:
        got = self._got
        for item in items:
            if isinstance(item, WireValue):
                self.values += 1
                self._dialect.fold(got, item.event, object_in(item.value))
            elif isinstance(item, Unreadable):
                if not got.finish_raw:  # after the finish reason nothing of the answer can be lost
                    got.unreadable = got.unreadable or item.start
            else:
                got.over = True
        return got.new_text()
