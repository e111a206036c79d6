"""A model that counts its usage and computes the floor: every page once, every faulty page once more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retouch.engine.recipe import find_recipe, open_model
from retouch.models.faulty import faulty
from retouch.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.types import Model, OnEvent, Reply, Request
    from retouch.recipes.csharp.ir import Endpoint

RECIPE = find_recipe("csharp")
HEAL = 0.8
Key = tuple[str, int]


def right_answers(endpoint: Endpoint) -> dict[Key, str]:
    """Return the correct answer for every page."""
    assert RECIPE.offline is not None
    return {prompt.key: RECIPE.offline(prompt) for prompt in RECIPE.plan(endpoint)}


def assembled(endpoint: Endpoint, answers: Mapping[Key, str]) -> dict[str, str]:
    """Return the C# file, by name, built from answers for all pages in page order, without its blanks."""
    pages: dict[str, list[str]] = {}
    for (unit, _), text in answers.items():
        pages.setdefault(unit, []).append(text)
    read = {unit: RECIPE.read(endpoint, unit, texts).value for unit, texts in pages.items()}
    files = RECIPE.assemble(endpoint, {unit: value for unit, value in read.items() if value is not None})
    return {name: without_blanks(text) for name, text in files.items() if name.endswith(".cs")}


def without_blanks(text: str) -> str:
    """Return `text` without blanks and line ends, so that layout is ignored."""
    return "".join(text.split())


@dataclass(kw_only=True)
class Metered:
    """`model`, with its calls and tokens counted. `right` are the correct answers."""

    model: Model
    right: Mapping[Key, str]
    calls: int = 0
    tokens: int = 0
    first: dict[Key, int] = field(default_factory=dict[Key, int])
    faulty: set[Key] = field(default_factory=set[Key])

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the model's reply."""
        reply = await self.model(request, on_event=on_event)
        self.calls += 1
        self.tokens += reply.input_tokens + reply.output_tokens
        key = request.prompt.key
        if key not in self.first:
            self.first[key] = reply.input_tokens + estimate_tokens(self.right[key])
            if reply.text != self.right[key] or reply.finish != "end":
                self.faulty.add(key)
        return reply

    @property
    def floor_calls(self) -> int:
        """The number of calls for every page once and every faulty page once more."""
        return len(self.first) + len(self.faulty)

    @property
    def floor_tokens(self) -> int:
        """The tokens of those calls: the original prompts and the correct answers."""
        return sum(self.first.values()) + sum(self.first[key] for key in self.faulty)


def faulty_model(endpoint: Endpoint, *, rate: float, seed: int) -> Metered:
    """Return the metered model with mistakes in a share `rate` of the endpoint's pages."""
    offline = open_model("offline", recipe=RECIPE)
    wrong = faulty(offline, rate=rate, seed=seed, heal=HEAL, faults=RECIPE.faults)
    return Metered(model=wrong, right=right_answers(endpoint))
