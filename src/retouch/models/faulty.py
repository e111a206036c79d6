"""`faulty:<model>?rate=0.2&seed=7&kinds=a,b&heal=0.8`: any model, with the failures that real models show.

`rate` is the share of pages with a fault. A fault belongs to a page's request (its unit, number and prompt text) and
stays, in a different form each time, until a retry heals it:

- most faults heal on a retry that names the issue, with the probability `heal`
- a refusal or an empty reply can heal on any retry, with the same probability
- a truncation heals if the request has a larger output cap than the truncated one, and only then

A healed page stays healed. The result depends on the seed and on the number of times a request was sent, never on the
order of the pages. Runs that send identical requests to one model object are counted together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from retouch._lib.hashing import text_hash
from retouch.engine.packs import packed_answer, replies_of_parts
from retouch.engine.recipe import open_model
from retouch.engine.types import Event, Message, model_name
from retouch.errors import BadInput
from retouch.models.faults import Kind, general_kinds, of_recipe
from retouch.models.named import wrapping
from retouch.models.offline import asked_prompt
from retouch.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from retouch.engine.recipe import ModelSpec
    from retouch.engine.types import Model, OnEvent, Prompt, Reply, Request
    from retouch.models.faults import TextFault

_RECIPE_SHARE = 3.0  # the total weight of a recipe's own faults, relative to the general ones
_VARIANTS = 8
_NAMES_ISSUES = re.compile(r"CORRECTION REQUIRED|\[[A-Z][A-Z0-9_]+\]")


def open_faulty(spec: ModelSpec) -> Model:
    """Return the faulty model of `spec`. Parameters follow the last question mark.

    Raises:
        BadInput: no model is named, or a parameter is unknown or out of range.
        UnknownName: the wrapped model has no known scheme.
    """
    inner, mark, query = spec.rest.rpartition("?")
    if not mark:
        inner, query = query, ""
    if not inner:
        raise BadInput(
            "the model 'faulty' wraps another model, which is missing", hint="Write it as 'faulty:offline?rate=0.2'."
        )
    given = _parameters(query)
    return faulty(
        open_model(inner, recipe=spec.recipe),
        rate=_number(given, "rate", 0.1),
        seed=int(_number(given, "seed", 0, whole=True)),
        heal=_number(given, "heal", 0.8),
        kinds=[name.strip() for name in given["kinds"].split(",")] if "kinds" in given else None,
        faults=spec.recipe.faults if spec.recipe else None,
    )


def faulty(
    model: Model,
    *,
    rate: float = 0.1,
    seed: int = 0,
    kinds: Sequence[str] | None = None,
    heal: float = 0.8,
    faults: Mapping[str, TextFault] | None = None,
) -> Model:
    """Return `model` with a fault on a share `rate` of its pages, drawn from `kinds` (by default all).

    `faults` are a recipe's own, by name. One with the name of a general kind replaces it. If a kind does not change a
    page's answer, another one is drawn. If none changes it, the answer is correct.

    Raises:
        BadInput: `rate` or `heal` is not between 0 and 1, or a kind is unknown.
    """
    for name, value in (("rate", rate), ("heal", heal)):
        if not 0.0 <= value <= 1.0:
            raise BadInput(f"{name} is {value!r} in a faulty model", hint=f"Give {name} a number from 0 to 1.")
    chosen = _chosen(kinds, faults or {})
    pages: dict[tuple[str, int, str], _Page] = {}

    def damaged_page(request: Request, reply: Reply) -> Reply:
        prompt = asked_prompt(request)
        identity = (*prompt.key, text_hash(prompt.user))
        page = pages.setdefault(identity, _Page(seed=f"{seed}|{identity}", kinds=chosen, rate=rate, heal=heal))
        return page.answer(request, prompt, reply)

    async def damaged(request: Request, on_event: OnEvent | None) -> Reply:
        reply = await model(request, on_event=_first_byte_of(on_event))
        reply = _damaged_pack(request, reply, damaged_page) if request.parts else damaged_page(request, reply)
        if on_event is not None:
            on_event(Event(kind="text", text=reply.text))
        return reply

    return replace(wrapping(model, damaged), name=f"faulty:{model_name(model)}")


def _damaged_pack(request: Request, reply: Reply, damaged: Callable[[Request, Reply], Reply]) -> Reply:
    """Return the reply to a packed request with faults in its pages.

    A page that is refused, empty or cut off is left out. A text that is no JSON becomes a JSON string.
    """
    alone = replies_of_parts(request, reply)
    kept: dict[str, str] = {}
    for key, prompt in request.parts:
        messages = (Message(role="user", text=prompt.user),)
        page = replace(request, prompt=prompt, messages=messages, answer_schema=prompt.answer_schema, parts=())
        answer = damaged(page, alone[key])
        if answer.finish == "end" and answer.text.strip():
            kept[key] = answer.text
    text = packed_answer(request, kept)
    return replace(reply, text=text, output_tokens=estimate_tokens(text))


@dataclass(kw_only=True)
class _Page:
    """The state of one request. `caps` holds the largest output cap of a truncated reply."""

    seed: str
    kinds: Mapping[str, Kind]
    rate: float
    heal: float
    asked: int = 0
    healed: bool = False
    cap: int = 0
    given: set[str] = field(default_factory=set[str])

    def answer(self, request: Request, prompt: Prompt, reply: Reply) -> Reply:
        """Return `reply`, or its faulty version, if possible with a text that was not returned before."""
        self.asked += 1
        first = Random(self.seed)  # noqa: S311 - reproducible on purpose
        if self.healed or reply.finish != "end" or first.random() >= self.rate:
            return reply
        now = Random(f"{self.seed}|{self.asked}")  # noqa: S311 - reproducible on purpose
        lucky = now.random() < self.heal
        known: Reply | None = None
        for kind, damaged in self._variants(request, reply, first, now):
            if known is None and self._heals(kind, request, prompt, lucky=lucky):
                self.healed = True
                return reply
            if damaged.text not in self.given:
                return self._give(request, damaged)
            known = known or damaged
        return reply if known is None else self._give(request, known)

    def _variants(self, request: Request, reply: Reply, first: Random, now: Random) -> Iterator[tuple[Kind, Reply]]:
        """Yield the faulty versions of `reply`, the page's own kind first, without unchanged ones."""
        for name in _drawn(self.kinds, first):
            kind = self.kinds[name]
            for _ in range(_VARIANTS):
                damaged = kind.damage(request, reply, now)
                if damaged == reply:
                    break
                yield kind, damaged

    def _heals(self, kind: Kind, request: Request, prompt: Prompt, *, lucky: bool) -> bool:
        if self.asked == 1:
            return lucky and names_issues(request, prompt)
        if kind.heals == "cap":
            return request.max_output_tokens > self.cap
        return lucky and (kind.heals == "asked" or names_issues(request, prompt))

    def _give(self, request: Request, reply: Reply) -> Reply:
        self.given.add(reply.text)
        self.cap = max(self.cap, request.max_output_tokens)
        return reply


def names_issues(request: Request, prompt: Prompt) -> bool:
    """Return whether `request` names an issue: it is a further turn, or has an issue code next to the prompt."""
    if any(message.role == "assistant" for message in request.messages):
        return True
    return any(_NAMES_ISSUES.search(message.text.replace(prompt.user, "", 1)) for message in request.messages)


def _drawn(kinds: Mapping[str, Kind], random: Random) -> list[str]:
    """Return the names of all `kinds` in a weighted random order. The first is the page's own."""
    return sorted(kinds, key=lambda name: -(random.random() ** (1.0 / kinds[name].weight)))


def _chosen(kinds: Sequence[str] | None, faults: Mapping[str, TextFault]) -> Mapping[str, Kind]:
    weight = _RECIPE_SHARE / max(len(faults), 1)
    known = dict(general_kinds()) | {name: of_recipe(fault, weight=weight) for name, fault in faults.items()}
    if kinds is None:
        return known
    for name in kinds:
        if name not in known:
            raise BadInput(f"no kind of fault {name!r}; known are: {', '.join(sorted(known))}", hint="Check 'kinds'.")
    return {name: known[name] for name in kinds}


def _first_byte_of(on_event: OnEvent | None) -> OnEvent | None:
    """Return a listener that passes on only the first byte, because the text in events must match the final text."""
    if on_event is None:
        return None

    def forward(event: Event) -> None:
        if event.kind == "first_byte":
            on_event(event)

    return forward


def _parameters(query: str) -> dict[str, str]:
    known = ("rate", "seed", "kinds", "heal")
    given: dict[str, str] = {}
    for part in query.split("&") if query else ():
        name, equals, value = part.partition("=")
        if name not in known or not equals or not value:
            raise BadInput(
                f"a faulty model has no parameter {part!r}; known: {', '.join(known)}",
                hint="Write them as 'faulty:offline?rate=0.2&seed=7&kinds=fence,empty&heal=0.8'.",
            )
        if name in given:
            raise BadInput(f"{name!r} is given twice for a faulty model", hint="Give it once.")
        given[name] = value
    return given


def _number(given: Mapping[str, str], name: str, default: float, *, whole: bool = False) -> float:
    if name not in given:
        return default
    try:
        return int(given[name]) if whole else float(given[name])
    except ValueError:
        wanted = "a whole number" if whole else "a number from 0 to 1"
        raise BadInput(f"{name} is {given[name]!r} in a faulty model", hint=f"Give {name} {wanted}.") from None
