"""The received part of a response, in the provider's terms, and its usage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retouch.models.wire.shapes import object_in, string_in

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The tokens of one response. `input_tokens` is the total, including those read from and written to a cache.

    Of the written ones, `hour_tokens` live for one hour. `output_tokens` includes `reasoning_tokens`.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    hour_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(kw_only=True)
class Received:
    """The received part of one response.

    `parts` are the answer's blocks, each as a list of pieces. `tools` is True if the model called a tool. `blocked` is
    True if the prompt was blocked, for the reason `finish_raw`. `over` is True if the protocol's end was read.
    """

    parts: list[list[str]] = field(default_factory=list[list[str]])
    reasoning: list[str] = field(default_factory=list[str])
    refusal: list[str] = field(default_factory=list[str])
    finish_raw: str = ""
    usage: dict[str, Any] = field(default_factory=dict[str, Any])
    model: str = ""
    id: str = ""
    error: Mapping[str, Any] = field(default_factory=dict[str, Any])
    unreadable: str = ""
    tools: bool = False
    blocked: bool = False
    over: bool = False
    _new_text: list[str] = field(default_factory=list[str])

    def open_part(self) -> None:
        """Begin a new block of text."""
        self.parts.append([])

    def add_text(self, text: str) -> None:
        """Add text to the current block. The first block opens automatically."""
        if not text:
            return
        if not self.parts:
            self.open_part()
        self.parts[-1].append(text)
        self._new_text.append(text)

    def add_reasoning(self, text: str) -> None:
        """Add text to the reasoning."""
        if text:
            self.reasoning.append(text)

    def new_text(self) -> str:
        """Return the new text since the last call."""
        text = "".join(self._new_text)
        self._new_text.clear()
        return text

    def end(self, reason: object) -> None:
        """Record why the answer ended. The first reason counts, because an error chunk can follow."""
        self.finish_raw = self.finish_raw or string_in(reason)

    def fail(self, error: object) -> None:
        """Record the first error in the body: an object, or only its message."""
        if error and not self.error:
            self.error = object_in(error) or {"message": str(error)}

    def name(self, model: object, identity: object) -> None:
        """Record the model and the id of the response."""
        self.model = self.model or string_in(model)
        self.id = self.id or string_in(identity)
