"""Finds the page of a call: requests contain only text, but models for tests answer prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.types import Prompt, Request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.testing.wire import WireCall


class Recognised:
    """Known prompts by their text."""

    def __init__(self, prompts: Iterable[Prompt]) -> None:
        self._by_user = {prompt.user: prompt for prompt in prompts}
        self._longest_first = sorted(self._by_user, key=len, reverse=True)

    def request(self, asked: WireCall) -> Request:
        """Return the received request, with the known prompt that one of its turns contains.

        If none is known, the prompt is the first user turn, of a unit called "unknown".
        """
        turns = [message.text for message in asked.messages if message.role == "user"]
        return Request(
            prompt=self._prompt(asked.system, turns),
            system=asked.system,
            messages=asked.messages,
            max_output_tokens=asked.max_output_tokens,
            temperature=asked.temperature,
        )

    def _prompt(self, system: str, turns: list[str]) -> Prompt:
        for turn in turns:
            if turn in self._by_user:
                return self._by_user[turn]
        for user in self._longest_first:  # a correction precedes the prompt text
            if any(user in turn for turn in turns):
                return self._by_user[user]
        return Prompt(unit="unknown", system=system, user=turns[0] if turns else "")
