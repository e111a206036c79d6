"""What a response says so far, in the provider's words, and its usage in ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retouch.models.wire.shapes import object_in, string_in

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Tokens of one response. `input_tokens` is the total: those read from and written to a cache are included.

    Of the written ones `hour_tokens` live for an hour. `output_tokens` includes `reasoning_tokens`.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    hour_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(kw_only=True)
class Received:
    """What was read of one response.

    `parts` are the answer's blocks, each as the pieces in which it came. `tools` says that the model called a tool;
    `blocked` that the prompt was blocked, for the reason `finish_raw`; `over` that the protocol's end was read.
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
    _heard: list[str] = field(default_factory=list[str])

    def open_part(self) -> None:
        """Begin a new block of text."""
        self.parts.append([])

    def say(self, text: str) -> None:
        """Add to the current block of text; the first one opens by itself."""
        if not text:
            return
        if not self.parts:
            self.open_part()
        self.parts[-1].append(text)
        self._heard.append(text)

    def think(self, text: str) -> None:
        """Add to the reasoning."""
        if text:
            self.reasoning.append(text)

    def heard(self) -> str:
        """Return the text that came since the last call."""
        text = "".join(self._heard)
        self._heard.clear()
        return text

    def end(self, reason: object) -> None:
        """Note why the answer ended. The first reason counts: an error chunk may follow with one of its own."""
        self.finish_raw = self.finish_raw or string_in(reason)

    def fail(self, error: object) -> None:
        """Note an error in the body, the first one: an object, or only its message."""
        if error and not self.error:
            self.error = object_in(error) or {"message": str(error)}

    def name(self, model: object, identity: object) -> None:
        """Note the model and the id of the response."""
        self.model = self.model or string_in(model)
        self.id = self.id or string_in(identity)
