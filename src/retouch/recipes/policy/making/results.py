"""A cache of verified results of earlier runs, keyed by a hash of all inputs. Cached results are executed again."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

from retouch._lib.disk import write_files
from retouch._lib.hashing import canonical_json
from retouch._lib.json_text import json_text
from retouch.engine.calls import model_name
from retouch.engine.types import Event, Reply
from retouch.errors import RetouchError
from retouch.recipes.policy.language.strict_json import read_json
from retouch.recipes.policy.making.asking.pages import plan, rules_unit, scenarios_unit, server_of
from retouch.recipes.policy.making.checks import read
from retouch.recipes.policy.making.judging.questions import wants_judge
from retouch.recipes.policy.making.judging.server_state import ServerState, Value, server_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Model, OnEvent, Request
    from retouch.recipes.policy.language.values import Tool
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.making.session.pages import Page

VERSION = "1"
Texts = dict[str, tuple[str, ...]]


@cache
def code_hash(folder: Path = Path(__file__).parents[1]) -> str:
    """Return the hash of the code that reads sentences, decides calls and judges clauses."""
    digest = sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def result_key(job: PolicyJob, server: str, model: str, *, code: str | None = None) -> str:
    """Return the hash of everything that a server's result depends on. Each part is hashed with its length.

    `code` is the hash of the code that verified it, by default of this installation: a later version may read a
    sentence in another way, or read one that was refused.
    """
    asked = [text for one in plan(job) if server_of(one.unit) == server for text in (one.system, one.user)]
    frame = canonical_json(job.frame_of(server).as_json())
    handwritten_scenarios = canonical_json([one.as_json() for one in job.handwritten_of(server)])
    digest = sha256()
    for part in (VERSION, code or code_hash(), model, *asked, frame, handwritten_scenarios):
        text = part.encode("utf-8", "surrogatepass")
        digest.update(f"{len(text)}:".encode() + text)
    return digest.hexdigest()


def keep_results(folder: Path, job: PolicyJob, values: Mapping[str, Value], model: str) -> list[str]:
    """Store the results of servers that passed and need no further call. Return the names of these servers."""
    kept: list[str] = []
    for server in job.servers:
        state = server_state(job, server, values)
        if state is not None and _is_complete(state):
            texts = _answers_of(state)
            entry = {"verified": True, "digest": digest_of(texts), "units": texts}
            write_files(folder, {f"{result_key(job, server, model)}.json": json_text(entry)})
            kept.append(server)
    return kept


def kept_results(folder: Path, job: PolicyJob, model: str, *, code: str | None = None) -> Texts:
    """Return, by unit, the answers of earlier runs with the same prompts and model that still pass.

    Each result is executed again on all its scenarios. A damaged or unverified one is ignored.
    """
    found: Texts = {}
    for server in job.servers:
        try:
            texts = _entry(folder / f"{result_key(job, server, model, code=code)}.json")
            values = {name: read(job, name, pages).value for name, pages in texts.items()}
        except (RetouchError, TypeError, KeyError, AttributeError):
            continue
        state = server_state(job, server, {name: one for name, one in values.items() if one is not None})
        if state is not None and _is_complete(state):
            found |= texts
    return found


def _is_complete(state: ServerState) -> bool:
    numbers = range(1, len(state.pages.pages) + 1)
    return state.passed and not wants_judge(state) and not any(state.wants_turn(number) for number in numbers)


def _answers_of(state: ServerState) -> Texts:
    tools = state.job.pages_of(state.server)
    pages = tuple(_whole_page(state, page, own).text for page, own in zip(state.pages.pages, tools, strict=True))
    last_words = {word.clause: word for verdict in state.present for word in verdict.clauses}
    rules = replace(state.rules, words=(*state.rules.words, *last_words.values()))
    return {rules_unit(state.server): (rules.text,), scenarios_unit(state.server): pages}


def _whole_page(state: ServerState, page: Page, tools: tuple[Tool, ...]) -> Page:
    """Return a page with the changes and additions of verdicts. A later run has the scenarios but not the verdicts."""
    names = {tool.name for tool in tools}
    own = (one for one in state.scenarios if one.source != "handwritten" and one.request.tool in names)
    return replace(page, scenarios=tuple(own), refused=())


def _entry(path: Path) -> Texts:
    entry = cast("dict[str, JSON]", read_json(path))
    units = cast("dict[str, list[str]]", entry["units"])
    texts: Texts = {name: tuple(pages) for name, pages in units.items()}
    if entry["verified"] is not True or entry["digest"] != digest_of(texts):
        raise KeyError("digest")
    return texts


def digest_of(texts: Texts) -> str:
    """Return the hash of stored answers, which detects damage."""
    return sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()


class CachedModel:
    """A model that answers from cached results if the prompt is the same, and calls another model otherwise."""

    def __init__(self, model: Model, texts: Texts) -> None:
        self.name = model_name(model)
        self._model = model
        self._answers_of = texts

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the cached answer to an unchanged prompt, otherwise the model's reply."""
        prompt = request.prompt
        pages = self._answers_of.get(prompt.unit, ())
        clean = len(request.messages) == 1 and request.messages[0].text == prompt.user
        if not clean or len(pages) != prompt.total_pages:
            return await self._model(request, on_event=on_event)
        if on_event is not None:
            on_event(Event(kind="first_byte"))
        return Reply(text=pages[prompt.page - 1], model="kept-result", cost=0.0)
