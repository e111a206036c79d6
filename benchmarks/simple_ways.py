"""Two strategies that need no engine: run everything again until it passes, or retry with the whole conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metered import RECIPE, assembled, faulty_model
from retouch.engine.repair import RepairContext, correction_block
from retouch.engine.types import Issue, Message, Request, Tier
from retouch.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metered import Key, Metered
    from retouch.engine.types import Prompt, Reply
    from retouch.recipes.csharp.ir import Endpoint

MOST_ROUNDS = 10
_FIRST_CAP = 8_192  # like the engine's; the conversation doubles it with every turn


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The result of one run, as multiples of its floor. `wrong` is True if it passed but is not correct."""

    status: str
    calls: float
    tokens: float
    wrong: bool = False


async def run_again(endpoint: Endpoint, rate: float, seed: int) -> Seen:
    """Request every page, and all of them again as long as there are issues. Faults are drawn again each time."""
    calls = tokens = 0
    floor: Metered | None = None
    for attempt in range(MOST_ROUNDS):
        model = faulty_model(endpoint, rate=rate, seed=seed if attempt == 0 else seed * 1_000 + attempt)
        replies = {prompt.key: await model(_clean(prompt)) for prompt in RECIPE.plan(endpoint)}
        floor = floor or model
        calls, tokens = calls + model.calls, tokens + model.tokens
        if not problems(endpoint, replies):
            return _seen("verified", calls, tokens, floor, _is_wrong(endpoint, model, replies))
    assert floor is not None
    return _seen("capped", calls, tokens, floor, wrong=False)


async def whole_conversation(endpoint: Endpoint, rate: float, seed: int) -> Seen:
    """Request everything in one conversation, and add a turn with all issues as long as there are any."""
    model = faulty_model(endpoint, rate=rate, seed=seed)
    prompts = list(RECIPE.plan(endpoint))
    sent = estimate_tokens(prompts[0].system) + sum(estimate_tokens(prompt.user) for prompt in prompts)
    tokens = 0
    found: Mapping[str, Sequence[Issue]] = {}
    replies: dict[Key, Reply] = {}
    for turn in range(1, MOST_ROUNDS + 1):
        for prompt in prompts:
            if turn == 1 or prompt.unit in found:
                replies[prompt.key] = await model(_asked(prompt, found.get(prompt.unit, ()), turn))
        answer = sum(reply.output_tokens for reply in replies.values())
        tokens += sent + answer
        found = problems(endpoint, replies)
        if not found:
            return _seen("verified", turn, tokens, model, _is_wrong(endpoint, model, replies))
        issues = [issue for each in found.values() for issue in each]
        sent += answer + estimate_tokens(_block(prompts[0], issues))
    return _seen("capped", MOST_ROUNDS, tokens, model, wrong=False)


def problems(endpoint: Endpoint, replies: Mapping[Key, Reply]) -> dict[str, list[Issue]]:
    """Return the errors of each unit that has any, by the checks of tiers 1 and 2."""
    texts: dict[str, list[str]] = {}
    found: dict[str, list[Issue]] = {}
    for (unit, page), reply in replies.items():
        texts.setdefault(unit, []).append(reply.text)
        if reply.finish != "end":
            issue = Issue(code="CUT", message="the answer was cut", tier=Tier.SYNTAX, unit=unit, page=page)
            found.setdefault(unit, []).append(issue)
    for unit, pages in texts.items():
        errors = [issue for issue in RECIPE.read(endpoint, unit, pages).issues if issue.severity == "error"]
        if errors:
            found.setdefault(unit, []).extend(errors)
    return found


def _clean(prompt: Prompt) -> Request:
    return _asked(prompt, (), 1)


def _asked(prompt: Prompt, issues: Sequence[Issue], turn: int) -> Request:
    message = Message(role="user", text=f"{_block(prompt, issues)}\n\n{prompt.user}" if issues else prompt.user)
    cap = _FIRST_CAP * 2 ** (turn - 1)
    return Request(prompt=prompt, system=prompt.system, messages=(message,), max_output_tokens=cap)


def _block(prompt: Prompt, issues: Sequence[Issue]) -> str:
    return correction_block(RepairContext(prompt=prompt, answer=None, issues=issues), noun="type", reminders=())


def _is_wrong(endpoint: Endpoint, model: Metered, replies: Mapping[Key, Reply]) -> bool:
    made = {key: reply.text for key, reply in replies.items()}
    return assembled(endpoint, made) != assembled(endpoint, model.right)


def _seen(status: str, calls: int, tokens: int, floor: Metered, wrong: bool) -> Seen:
    return Seen(status=status, calls=calls / floor.floor_calls, tokens=tokens / floor.floor_tokens, wrong=wrong)
