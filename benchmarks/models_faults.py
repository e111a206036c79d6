"""The effect of each network and provider fault on a run: on its files, on the paid replies, and on its messages.

    python benchmarks/models_faults.py [--pages 200] [--rate 0.2] [--only FAULT ...] [--clients NAME ...]

Every fault of `retouch.testing` is injected alone in a share of all calls, then all of them mixed, with the real
clients of Anthropic, OpenAI and Google. Some answers also have a mistake, so that there are corrections in which
network messages could appear. Paid replies are the server's count of replies that it sent completely.

A page can be retried more often than usual, with an output cap that can double as often. If pages are truncated or
refused at a rate of 20 %, one in 125 fails three times in a row, and would otherwise end as exhausted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import retouch
from retouch.aio import generate
from retouch.engine.directory import open_run
from retouch.engine.recipe import Read, Recipe, Unread
from retouch.engine.types import Issue, Prompt, RetryBudget, Tier
from retouch.models.offline import offline
from retouch.testing import FAULTS, at_rate, faulty, model_server, status
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from random import Random

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Model
    from retouch.testing import Fault, ModelServer
    from retouch.testing.server_faults import FaultScript

SYSTEM = "Write each word of the page with its capitals: a line `word = WORD` each, and nothing else."
MODELS = {"anthropic": "claude-sonnet-4-6", "openai": "gpt-5-mini", "google": "gemini-2.5-flash"}
QUICK = "?first_wait_s=0.01&max_wait_s=2&idle_s=3&first_byte_s=20&concurrency=16"
WAY = retouch.RunOptions(
    concurrency=16,
    compiler="none",
    max_output_limit=1_000_000,
    budget=RetryBudget(tier1_remaining=6, tier2_remaining=6, tier3_remaining=6, total_remaining=9),
)
WHOLE = {
    "slow_head",
    "slow_body",
    "wrong_type",
    "duplicate_id",
    "truncation",
    "refusal",
}  # kinds that are sent completely
OF_THE_MODEL = {"truncation", "refusal"}
SHORTER = {"429_retry_after": status(429, retry_after="0.05")}
HEADS = (
    *("fault", "calls", "faults met", "replies bought", "cut or refused", "with a slip", "others per page"),
    *("same files", "corrections", "with network messages", "s"),
)
WORDS = (
    *("scripted failure", "overloaded", "rate limit", "rate_limit", "retry-after", "transport", "throttled", "timeout"),
    *("timed out", "connection", "no reply", "silent", "finish reason", "cannot be read", "on the way", "http"),
    *(f"answered {code}" for code in (408, 409, 429, 500, 503, 529)),
)


@dataclass(frozen=True, kw_only=True)
class Words:
    """The source: the number of pages, each of which asks for some words in capitals."""

    pages: int


def words_of(unit: str) -> list[str]:
    """Return the words of one page."""
    return [f"{unit}_{letter}" for letter in "abcdef"]


def right(unit: str) -> str:
    """Return the correct answer for one page."""
    return "\n".join(f"{word} = {word.upper()}" for word in words_of(unit))


def plan(source: Words) -> Iterable[Prompt]:
    """Return one prompt per unit."""
    for number in range(source.pages):
        unit = f"page{number:04}"
        yield Prompt(unit=unit, system=SYSTEM, user=f"PAGE {unit}\n" + "\n".join(words_of(unit)))


def read(_source: Words, unit: str, pages: Sequence[str]) -> Read[dict[str, str]]:
    """Read the lines. A missing word is an issue of tier 2."""
    value = {word: meaning for word, _, meaning in (line.partition(" = ") for line in pages[0].splitlines())}
    missing = [word for word in words_of(unit) if word not in value]
    return Read(value, [_issue("MISSING", f"no line for {word!r}", unit, Tier.SCHEMA) for word in missing])


def check(_source: Words, values: Mapping[str, dict[str, str]], _options: RunOptions) -> list[Issue]:
    """Compare each word with the expected one."""
    wrong = [(unit, word) for unit, value in values.items() for word, found in value.items() if found != word.upper()]
    return [_issue("NOT_CAPITALS", f"{word!r} is not as it should be", unit, Tier.SEMANTIC) for unit, word in wrong]


def _issue(code: str, message: str, unit: str, tier: Tier) -> Issue:
    return Issue(code=code, message=message, tier=tier, unit=unit, page=1)


def assemble(_source: Words, values: Mapping[str, dict[str, str] | Unread]) -> Mapping[str, str]:
    """Return one file."""
    return {"words.txt": "\n".join(str(value) for value in values.values())}


RECIPE = Recipe[Words, dict[str, str]](name="words", source=Words, plan=plan, read=read, check=check, assemble=assemble)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The result of one run, by the server's count. `bought` are the replies that it sent completely.

    Of those, `spoilt` were truncated or refused, and `wrong` had a mistake. `right` is the smallest and largest number
    of other replies per page. `words` are the calls that repeat messages of the network or a provider to the model.
    """

    calls: int
    met: int
    bought: int
    spoilt: int
    wrong: int
    right: str
    corrections: int
    words: int
    status: str = ""
    seconds: float = 0.0
    files: Mapping[str, str] = field(default_factory=dict[str, str])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--rate", type=float, default=0.2)
    parser.add_argument("--only", nargs="*", choices=[*FAULTS, "all mixed"], default=[*FAULTS, "all mixed"])
    parser.add_argument("--clients", nargs="*", choices=MODELS, default=["anthropic", "openai"])
    arguments = parser.parse_args()
    models = [f"{name}:{MODELS[name]}" for name in arguments.clients]
    announce("models: faults of the network")
    source = Words(pages=arguments.pages)
    print(f"{' / '.join(arguments.clients)}:\n\n{table(HEADS, [])}", flush=True)
    plain = [measured(source, model, ()) for model in models]
    for name in ("none", *arguments.only):
        kinds = list(FAULTS) if name == "all mixed" else [name]
        found = plain
        if name != "none":
            script = at_rate(arguments.rate, seed=7, kinds=kinds)
            found = [measured(source, model, shortened(script)) for model in models]
        print(
            table((), [row(name, found, plain)]).splitlines()[-1], flush=True
        )  # print immediately, because all of them take minutes


def row(name: str, found: Sequence[Seen], plain: Sequence[Seen]) -> list[object]:
    """Return the effect of a fault for all clients. `plain` is the same without faults."""
    same = [
        "yes" if one.files == before.files and one.status == "verified" else f"no, {one.status}"
        for one, before in zip(found, plain, strict=True)
    ]
    names = ("calls", "met", "bought", "spoilt", "wrong", "right", "", "corrections", "words")
    cells = [[str(getattr(one, key)) for one in found] if key else same for key in names]
    return [name, *(" / ".join(cell) for cell in cells), " / ".join(f"{one.seconds:.0f}" for one in found)]


def measured(source: Words, model: str, faults: FaultScript) -> Seen:
    """Return the result of a run of `model` on a server with these faults."""
    prompts = list(plan(source))
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, model_server(author(), faults=faults, prompts=prompts) as server:
        os.environ.update(server.environment)
        run = Path(folder) / "run"
        result = asyncio.run(generate(RECIPE, source, run, retouch.open_model(model + QUICK), WAY))
        return replace(
            counted(server, prompts, failure_messages(run)),
            status=result.status,
            files={name: (run / name).read_text("utf-8") for name in result.files},
            seconds=time.perf_counter() - began,
        )


def author() -> Model:
    """Return a model whose answers have content faults on a tenth of the pages, until a retry names them."""
    never_wrong = offline(lambda prompt: right(prompt.unit))
    return faulty(never_wrong, rate=0.1, seed=3, heal=1.0, kinds=["wrong_line", "lost_line"], faults=SLIPS)


def shortened(script: FaultScript) -> FaultScript:
    """Return `script` with shorter waits."""
    assert callable(script)
    shorter = {id(FAULTS[name]): fault for name, fault in SHORTER.items()}

    def with_less(call: int, body: Mapping[str, Any]) -> Fault | None:
        fault = script(call, body)
        return shorter.get(id(fault), fault)

    return with_less


def failure_messages(run: Path) -> set[str]:
    """Return all messages of network failures in a run, from its ledger."""
    history = open_run(run).history
    notes: list[Any] = [note.data for note in history.notes]
    said = {attempt.error for attempt in history.attempts.values()} | {note.get("error") for note in notes}
    return {one.lower() for one in said if one}


def counted(server: ModelServer, prompts: Sequence[Prompt], said: set[str]) -> Seen:
    """Return the server's counts."""
    clean = {prompt.unit: prompt for prompt in prompts}
    units = [page_of(json.dumps(call.body)) for call in server.calls]
    told = [added_text(call.body, clean[unit]) for unit, call in zip(units, server.calls, strict=True)]
    good = dict.fromkeys(clean, 0)
    bought = spoilt = wrong = 0
    for unit, call, correction in zip(units, server.calls, told, strict=True):
        if call.reply is None or (call.fault is not None and call.fault.kind not in WHOLE):
            continue
        bought += 1
        if call.fault is not None and call.fault.kind in OF_THE_MODEL:
            spoilt += 1
        elif not correction and call.reply.text != right(unit):
            wrong += 1
        else:
            good[unit] += 1  # a retry that names the issue is answered correctly, also by a patch
    return Seen(
        calls=len(server.calls),
        met=sum(call.fault is not None for call in server.calls),
        bought=bought,
        spoilt=spoilt,
        wrong=wrong,
        right="-".join(map(str, sorted({min(good.values()), max(good.values())}))),
        corrections=sum(map(bool, told)),
        words=sum(of_the_network(text, said) for text in told),
    )


def page_of(body: str) -> str:
    """Return the unit of a call."""
    return body.partition("PAGE ")[2][:8]


def added_text(body: Mapping[str, Any], prompt: Prompt) -> str:
    """Return the text of a call besides the original prompt: corrections and further turns."""
    said: list[str] = []
    turns: Any = body.get("messages") or body["contents"]
    for turn in turns:
        content: Any = turn.get("content") or turn.get("parts")
        parts: list[Any] = [{"text": content}] if isinstance(content, str) else content
        said += [str(part["text"]) for part in parts]
    return "\n".join(said).replace(prompt.system, "").replace(prompt.user, "").strip()


def of_the_network(text: str, said: Iterable[str]) -> bool:
    """Return whether a text repeats a failure message, or has a word that only those use."""
    low = text.lower()
    return any(word in low for word in WORDS) or any(one in low for one in said)


def _wrong_line(text: str, random: Random) -> str:
    lines = text.splitlines()
    at = random.randrange(len(lines))
    return "\n".join([*lines[:at], lines[at][:-1] + "x", *lines[at + 1 :]])


def _lost_line(text: str, random: Random) -> str:
    lines = text.splitlines()
    del lines[random.randrange(len(lines))]
    return "\n".join(lines)


SLIPS = {"wrong_line": _wrong_line, "lost_line": _lost_line}


if __name__ == "__main__":
    main()
