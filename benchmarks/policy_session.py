"""The tokens that each turn of a scenario session adds, and the cost of a conversation with four marking strategies.

A loopback server caches prompts like Anthropic (writes 1.25, reads 0.1), and the real client calls it. Tokens are the
server's own counts. The formulas are those of `retouch.models.cache_cost`. The strategy "seed" marks the message before
the last one.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anthropic import Anthropic

import retouch
from retouch.models.cache_cost import Conversation, conversation_cost
from retouch.models.cache_facts import CacheFacts
from retouch.models.offline import offline
from retouch.models.tokens import estimate_tokens
from retouch.recipes.policy import (
    Policy,
    ScenarioFeedback,
    ScenarioGeneratorSession,
    measure_coverage,
    policy_job,
    recipe,
)
from retouch.recipes.policy.english import compile_english
from retouch.recipes.policy.english.offline import answer
from retouch.testing import model_server, scripted
from retouch.text import fenced_blocks
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.engine.types import Prompt, Reply
    from retouch.recipes.policy import PolicyJob

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "policy"
MODEL = "anthropic:claude-sonnet-4-6"
FACTS = CacheFacts(write=1.25, read=0.1, markers=4)
SIZES = ((3_500, 500, 3_000, 400), (10_000, 1_000, 2_000, 500))
TURNS = (1, 2, 3, 4, 6)
WAYS = ("system", "seed", "moving", "moving, not on last")
SECTIONS = ("removed", "uncovered", "refused")


def main() -> None:
    announce("policy: tokens of a session")
    print("A session about the file tools of the example; the first answer holds calls that prove nothing.\n")
    print("Number of items, times tokens for each; tokens of the question, the answer, the whole input.\n")
    heads = ("turn", *SECTIONS, "question", "answer", "input", "prefix")
    print(table(heads, [row for wrong in (4, 12) for row in growth(wrong)]))
    print("\nInput cost relative to the uncached one: measured / by the formula.\n")
    print(table(("S, U, A, F", "turns", "uncached tokens", *WAYS), [row for sizes in SIZES for row in costs(sizes)]))


def example_job() -> PolicyJob:
    """Return the source of the example."""
    value = {
        name: json.loads((EXAMPLE / f"{name}.json").read_text("utf-8")) for name in ("annotations", "lists", "base")
    }
    text = (EXAMPLE / "constitution.md").read_text("utf-8")
    return policy_job(constitution=text, annotations=value["annotations"], lists=value["lists"], base=value["base"])


def growth(wrong: int) -> list[list[object]]:
    """Measure three turns of a session whose first answer has `wrong` calls that are decided before any rule."""
    job = example_job()

    def spoiled(prompt: Prompt) -> str:
        said = json.loads(answer(prompt))
        if '"task": "scenarios"' in prompt.user:
            said["scenarios"] = [*said["scenarios"][::3], *map(_senseless, range(wrong))]
        elif '"turn": 2' in prompt.user:
            said["scenarios"] = said["scenarios"][:-3]
        return json.dumps(said)

    with model_server(offline(spoiled), prompts=recipe.plan(job)) as server:
        os.environ.update(server.environment)
        asyncio.run(_three_turns(job))
        return list(_rows(wrong, [call.body for call in server.calls], [call.reply for call in server.calls]))


def _senseless(number: int) -> dict[str, Any]:
    request = {"serverName": "filesystem", "toolName": "read_file", "arguments": {"path": f"~/.ssh/key-{number}"}}
    return {"description": f"reading key {number}", "request": request, "expectedDecision": "allow", "reasoning": "-"}


async def _three_turns(job: PolicyJob) -> None:
    session = ScenarioGeneratorSession(job, "filesystem", retouch.open_model(MODEL))
    policy = compiled(job)
    await session.generate()
    for _ in range(2):
        gaps = [one for one in measure_coverage(policy, session.page.scenarios).gaps if "path" in one.example.arguments]
        page = session.page
        await session.regenerate(ScenarioFeedback(discards=page.open, gaps=gaps[:6], refused=page.refused))


def compiled(job: PolicyJob) -> Policy:
    """Return the policy of the constitution for the file tools."""
    frame = job.frame_of("filesystem")
    made = compile_english(job.constitution, frame, elsewhere=[one for one in job.servers if one != "filesystem"])
    return replace(frame, rules=made.rules, list_defs=made.list_defs)


def _rows(wrong: int, bodies: list[Any], replies: list[Reply | None]) -> Iterator[list[object]]:
    before: list[str] = []
    for number, (body, reply) in enumerate(zip(bodies, replies, strict=True), start=1):
        texts = [_plain(one) for one in (body["system"], *(message["content"] for message in body["messages"]))]
        told = [_items(texts[-1], name) for name in SECTIONS]
        same = "" if not before else "same bytes" if texts[: len(before)] == before else "CHANGED"
        said = estimate_tokens(reply.text) if reply is not None else 0
        whole = sum(map(estimate_tokens, texts))
        yield [f"{number} of {wrong} wrong", *told, estimate_tokens(texts[-1]), said, whole, same]
        before = texts


def _items(text: str, section: str) -> str:
    """Return the number of items in a section of a turn, and its tokens per item."""
    blocks = [one.text for one in fenced_blocks(text) if one.language == section]
    count = len(json.loads(blocks[0])) if blocks else 0
    return f"{count} x {estimate_tokens(blocks[0]) / count:.0f}" if count else ""


def _plain(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def costs(sizes: tuple[int, int, int, int]) -> list[list[object]]:
    """Measure conversations of these sizes with every marking strategy, for every number of turns."""
    found: list[list[object]] = []
    for turns in TURNS:
        texts = [_text(tokens) for tokens in sizes]
        shared, own, said, more = (estimate_tokens(text) for text in texts)
        talk = Conversation(shared=shared, own=own, answer=said, feedback=more, turns=turns)
        uncached = conversation_cost(talk, FACTS, "none")
        row: list[object] = [", ".join(f"{one:,}" for one in sizes), turns, int(uncached)]
        for way in WAYS:
            measured = wire_cost(texts, turns, way)
            row.append(f"{measured / uncached:.2f} / {formula(talk, way) / uncached:.2f}")
        found.append(row)
    return found


def formula(talk: Conversation, way: str) -> float:
    """Return the cost of a conversation by the formula for a marking strategy."""
    if way != "seed":
        marks: Any = way
        return conversation_cost(talk, FACTS, marks)
    more, write, read = talk.answer + talk.feedback, FACTS.write, FACTS.read
    cost = write * talk.shared + talk.own
    for turn in range(2, talk.turns + 1):
        known = talk.shared if turn == 2 else talk.shared + talk.own + talk.answer + (turn - 3) * more
        whole = talk.shared + talk.own + (turn - 1) * more
        cost += read * known + write * (whole - talk.feedback - known) + talk.feedback
    return cost


def wire_cost(texts: list[str], turns: int, way: str) -> float:
    """Return the measured cost of a conversation, in uncached input tokens."""
    shared, own, said, more = texts
    with model_server(scripted(lambda _request: said)) as server:
        client: Any = Anthropic(base_url=server.url, api_key="loopback")
        messages: list[Any] = [_message("user", own)]
        cost = 0.0
        for turn in range(1, turns + 1):
            cost += _ask(client, shared, messages, _marks(way, len(messages) - 1, last=turn == turns))
            messages += [_message("assistant", said), _message("user", more)]
    return cost


def _ask(client: Any, shared: str, messages: list[Any], marks: tuple[int, ...]) -> float:
    system: list[Any] = [_block(shared, marked=-1 in marks)]
    marked = [
        {**one, "content": [_block(one["content"][0]["text"], marked=number in marks)]}
        for number, one in enumerate(messages)
    ]
    sent: Any = {"model": MODEL.partition(":")[2], "max_tokens": 8_192, "system": system, "messages": marked}
    usage: Any = client.messages.create(**sent).usage
    written, read = usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
    return usage.input_tokens + FACTS.write * written + FACTS.read * read


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [_block(text)]}


def _block(text: str, *, marked: bool = False) -> dict[str, Any]:
    return {"type": "text", "text": text} | ({"cache_control": {"type": "ephemeral"}} if marked else {})


def _marks(way: str, newest: int, *, last: bool) -> tuple[int, ...]:
    """Return the marks of one request, -1 for the system text. `newest` is the index of its newest message.

    If the newest message is not to be written, the last marked one before it is marked again, so that it can be read.
    """
    if way == "system" or (way == "seed" and newest == 0):
        return (-1,)
    if way == "seed":
        return (-1, newest - 1)
    if way == "moving" or not last:
        return (newest,)
    return (newest - 2,) if newest else ()


def _text(tokens: int) -> str:
    words = ["word"] * tokens
    while estimate_tokens(" ".join(words)) > tokens:
        words = words[: -max(1, len(words) // 500)]
    return " ".join(words)


if __name__ == "__main__":
    main()
