"""What each fault of the network and of a provider does to a run: to its files, to what is bought, to what is said.

    python benchmarks/models_faults.py [--pages 200] [--rate 0.2] [--only FAULT ...] [--clients NAME ...]

Every fault that `retouch.testing` knows, one by one on a share of all calls and then all of them mixed, through the
real clients of Anthropic, OpenAI and Google. Some answers have a slip in them as well, so that there are corrections in
which words of the network could show. What is bought is the server's count of replies that it sent whole.

A page may be asked again more often than usual, with a cap that may double as often: of pages that are cut or refused
at a rate of 20 %, one in 125 is so three times in a row, and would end as exhausted.
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
from author import RECIPE, Tables, plan, right_table
from retouch.aio import generate
from retouch.engine.budget import RetryBudget
from retouch.engine.core import RunOptions
from retouch.engine.run import open_run
from retouch.models.offline import offline
from retouch.testing import FAULTS, at_rate, faulty, model_server, status
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from random import Random

    from retouch.engine.core import Model, Prompt
    from retouch.testing import Fault, ModelServer
    from retouch.testing.server_faults import FaultScript

MODELS = {"anthropic": "claude-sonnet-4-6", "openai": "gpt-5-mini", "google": "gemini-2.5-flash"}
QUICK = "?first_wait_s=0.01&max_wait_s=2&idle_s=3&first_byte_s=20&concurrency=16"
WAY = retouch.Way(
    options=RunOptions(concurrency=16, compiler="none", max_output_limit=1_000_000),
    budget=RetryBudget(tier1_remaining=6, total_remaining=9),
)
WHOLE = {"slow_head", "slow_body", "wrong_type", "duplicate_id", "truncation", "refusal"}  # kinds that are sent whole
OF_THE_MODEL = {"truncation", "refusal"}
SHORTER = {"429_retry_after": status(429, retry_after="0.05")}
WORDS = (
    *("scripted failure", "overloaded", "rate limit", "rate_limit", "retry-after", "transport", "throttled", "timeout"),
    *("timed out", "connection", "no reply", "silent", "finish reason", "cannot be read", "on the way", "http"),
    *(f"answered {code}" for code in (408, 409, 429, 500, 503, 529)),
)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one run came to, by the server's count; `bought` are the replies that it sent whole.

    Of those `spoilt` were cut or refused, `wrong` had a slip in them; `right` says how many others a page had, at least
    and at most. `words` are the calls that repeat to the model what the network or a provider said.
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
    source = Tables(pages=arguments.pages)
    plain = [measured(source, model, ()) for model in models]
    rows: list[list[object]] = [row("none", plain, plain)]
    for name in arguments.only:
        kinds = list(FAULTS) if name == "all mixed" else [name]
        found = [measured(source, model, shortened(at_rate(arguments.rate, seed=7, kinds=kinds))) for model in models]
        rows.append(row(name, found, plain))
    print(f"{' / '.join(arguments.clients)}:\n")
    heads = ("fault", "calls", "faults met", "replies bought", "cut or refused", "with a slip", "others per page")
    print(table((*heads, "same files", "corrections", "with words of the network", "s"), rows))


def row(name: str, found: Sequence[Seen], plain: Sequence[Seen]) -> list[object]:
    """Return what a fault did, one client beside the other; `plain` is the same without faults."""
    same = [
        "yes" if one.files == before.files and one.status == "clean" else f"no, {one.status}"
        for one, before in zip(found, plain, strict=True)
    ]
    names = ("calls", "met", "bought", "spoilt", "wrong", "right", "", "corrections", "words")
    cells = [[str(getattr(one, key)) for one in found] if key else same for key in names]
    return [name, *(" / ".join(cell) for cell in cells), " / ".join(f"{one.seconds:.0f}" for one in found)]


def measured(source: Tables, model: str, faults: FaultScript) -> Seen:
    """Return what a run of `model` over a server with these faults comes to."""
    prompts = list(plan(source))
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, model_server(author(), faults=faults, prompts=prompts) as server:
        os.environ.update(server.environment)
        run = Path(folder) / "run"
        result = asyncio.run(generate(RECIPE, source, run, retouch.open_model(model + QUICK), WAY))
        return replace(
            counted(server, prompts, said_in(run)),
            status=result.status,
            files={name: (run / name).read_text("utf-8") for name in result.files},
            seconds=time.perf_counter() - began,
        )


def author() -> Model:
    """Return a model whose answers have faults of content on a tenth of the pages, until they are told of."""
    right = offline(lambda prompt: right_table(prompt.type_name))
    return faulty(right, rate=0.1, seed=3, heal=1.0, kinds=["wrong_line", "lost_line"], faults=SLIPS)


def shortened(script: FaultScript) -> FaultScript:
    """Return `script` with shorter waits."""
    assert callable(script)
    shorter = {id(FAULTS[name]): fault for name, fault in SHORTER.items()}

    def with_less(call: int, body: Mapping[str, Any]) -> Fault | None:
        fault = script(call, body)
        return shorter.get(id(fault), fault)

    return with_less


def said_in(run: Path) -> set[str]:
    """Return all that failures of the network said in a run, as its ledger has noted it."""
    history = open_run(run).history
    notes: list[Any] = [note.data for note in history.notes]
    said = {attempt.error for attempt in history.attempts.values()} | {note.get("error") for note in notes}
    return {one.lower() for one in said if one}


def counted(server: ModelServer, prompts: Sequence[Prompt], said: set[str]) -> Seen:
    """Return what the server saw."""
    clean = {prompt.type_name: prompt for prompt in prompts}
    units = [page_of(json.dumps(call.body)) for call in server.calls]
    told = [told_beside(call.body, clean[unit]) for unit, call in zip(units, server.calls, strict=True)]
    right = dict.fromkeys(clean, 0)
    bought = spoilt = wrong = 0
    for unit, call, correction in zip(units, server.calls, told, strict=True):
        if call.reply is None or (call.fault is not None and call.fault.kind not in WHOLE):
            continue
        bought += 1
        if call.fault is not None and call.fault.kind in OF_THE_MODEL:
            spoilt += 1
        elif not correction and call.reply.text != right_table(unit):
            wrong += 1
        else:
            right[unit] += 1  # whoever is told what was wrong mends it, by a patch as well
    return Seen(
        calls=len(server.calls),
        met=sum(call.fault is not None for call in server.calls),
        bought=bought,
        spoilt=spoilt,
        wrong=wrong,
        right="-".join(map(str, sorted({min(right.values()), max(right.values())}))),
        corrections=sum(map(bool, told)),
        words=sum(of_the_network(text, said) for text in told),
    )


def page_of(body: str) -> str:
    """Return the unit that a call asks for."""
    return body.partition("PAGE ")[2][:8]


def told_beside(body: Mapping[str, Any], prompt: Prompt) -> str:
    """Return what a call says to the model besides the clean prompt: corrections, further turns."""
    said: list[str] = []
    turns: Any = body.get("messages") or body["contents"]
    for turn in turns:
        content: Any = turn.get("content") or turn.get("parts")
        parts: list[Any] = [{"text": content}] if isinstance(content, str) else content
        said += [str(part["text"]) for part in parts]
    return "\n".join(said).replace(prompt.system, "").replace(prompt.user, "").strip()


def of_the_network(text: str, said: Iterable[str]) -> bool:
    """Return whether a text repeats what failures said, or has a word that only they use."""
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
