"""Results of earlier runs: kept when verified, found by all that went into them, executed again when used."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch._lib.run_sync import run_sync
from retouch.engine.recipe import Unread
from retouch.engine.verbs import read_values
from retouch.recipes.policy.making.job import recipe
from retouch.recipes.policy.making.results import (
    CachedModel,
    code_hash,
    digest_of,
    keep_results,
    kept_results,
    result_key,
)
from retouch.testing import scripted
from tests.recipes.policy.making.scenes import (
    COVERING,
    READS,
    WRITES,
    Json,
    Scene,
    blame,
    item,
    items,
    job,
    operations,
    rules,
    scenario_id,
    verdict,
)

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.policy.making.asking.source import PolicyJob

ASK = "Ask me before it writes to my notes."
WRITE_ID = scenario_id("write", "~/notes/a")
LAX = {**WRITES, "name": "write-notes", "then": "allow"}
GOOD: Json = {"compile": rules(READS, WRITES), "scenarios": items(*COVERING)}
MENDED: Json = {
    "compile": rules(READS, LAX),
    "scenarios": items(*COVERING[:2], item("write", "~/notes/a", "deny"), *COVERING[3:]),
    "judge": verdict(blame(WRITE_ID, "both", ASK, "escalate"), probes=[item("read", "~/notes/b", "allow")]),
    "patch": operations({"op": "update", "rule": {**LAX, "then": "escalate", "name": "write-notes"}}),
}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


def kept_from(scene: Scene, cache: Path, job_: PolicyJob) -> list[str]:
    _, values = run_sync(read_values(recipe, scene.folder))
    return keep_results(cache, job_, {k: v for k, v in values.items() if not isinstance(v, Unread)}, "m")


@pytest.mark.parametrize("answers", [GOOD, MENDED])
def test_a_verified_result_answers_the_same_words_without_a_call(tmp_path: Path, cache: Path, answers: Json):
    first, again = Scene(tmp_path / "first"), Scene(tmp_path / "again")
    first.generate(answers)
    assert ["notes"] == kept_from(first, cache, job())
    model = CachedModel(scripted([]), kept_results(cache, job(), "m"))

    async def answer(request: Any) -> Any:
        return await model(request)

    assert "verified" == again.generate(answer).status
    for name in ("policy.json", "scenarios.json"):
        found = again.file(name)
        assert first.file(name) == found
    assert again.file("policy.json")["verified"]


def test_d10_nothing_is_kept_of_a_server_that_did_not_pass(tmp_path: Path, cache: Path):
    scene = Scene(tmp_path / "run")
    vain = [operations({"op": "delete", "name": f"nope-{number}"}) for number in range(9)]
    scene.generate({**MENDED, "patch": vain})
    assert ([], []) == (kept_from(scene, cache, job()), list(cache.iterdir()))


def test_d11_what_was_repaired_is_found_again_by_what_it_was_made_from(tmp_path: Path, cache: Path):
    scene = Scene(tmp_path / "run")
    scene.generate(MENDED)
    kept_from(scene, cache, job())
    assert [f"{result_key(job(), 'notes', 'm')}.json"] == [path.name for path in cache.iterdir()]
    texts = kept_results(cache, job(), "m")
    assert ["rules/notes", "scenarios/notes"] == list(texts)


def test_what_other_code_verified_is_not_used(tmp_path: Path, cache: Path):
    """A later version may read a sentence in another way: what an earlier one verified proves nothing."""
    scene, code = Scene(tmp_path / "run"), tmp_path / "code"
    scene.generate(GOOD)
    kept_from(scene, cache, job())
    code.mkdir()
    (code / "grammar.py").write_text("WRITES = {'write'}", encoding="utf-8")
    earlier = code_hash(code)
    code_hash.cache_clear()
    (code / "grammar.py").write_text("WRITES = {'write', 'insert'}", encoding="utf-8")
    assert earlier != code_hash(code)
    assert {} == kept_results(cache, job(), "m", code=earlier)
    assert {} != kept_results(cache, job(), "m", code=code_hash())


CHANGES: list[Json] = [
    {"constitution": "The agent may read my notes.\nAsk me before it writes to my notes.\n"},
    {"handwritten": [item("read", "~/z", "deny")]},
    {"base": {"protectedPaths": ["~/.ssh", "~/.aws"]}},
    {"lists": {"lists": {"friends": {"values": ["a@b.example"]}}}},
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_made_from_something_else_is_not_used(tmp_path: Path, cache: Path, change: Json):
    scene = Scene(tmp_path / "run")
    scene.generate(GOOD)
    kept_from(scene, cache, job())
    assert {} == kept_results(cache, job(**change), "m")
    assert {} == kept_results(cache, job(), "another model")
    assert {} != kept_results(cache, job(), "m")


def spoiled(entry: Json, **changes: Any) -> str:
    return json.dumps({**entry, **changes})


def test_a_kept_result_that_is_damaged_or_was_never_verified_is_as_good_as_none(tmp_path: Path, cache: Path):
    scene = Scene(tmp_path / "run")
    scene.generate(GOOD)
    kept_from(scene, cache, job())
    path = next(cache.iterdir())
    entry = json.loads(path.read_text(encoding="utf-8"))
    lax = {**entry["units"], "rules/notes": [rules(READS, LAX)]}
    for text in (
        "",
        "[]",
        spoiled(entry, verified=False),
        spoiled(entry, verified="true"),
        spoiled(entry, units=lax),
        spoiled(entry, digest="0"),
    ):
        path.write_text(text, encoding="utf-8")
        assert {} == kept_results(cache, job(), "m")


def test_a_kept_result_is_executed_again_and_its_word_is_not_taken(tmp_path: Path, cache: Path):
    scene = Scene(tmp_path / "run")
    scene.generate(GOOD)
    kept_from(scene, cache, job())
    path = next(cache.iterdir())
    entry = json.loads(path.read_text(encoding="utf-8"))
    units = {name: tuple(pages) for name, pages in entry["units"].items()} | {"rules/notes": (rules(READS, LAX),)}
    forged = {"verified": True, "digest": digest_of(units), "units": units}
    path.write_text(json.dumps(forged), encoding="utf-8")
    assert {} == kept_results(cache, job(), "m")


def test_a_remembering_model_asks_for_corrections_and_what_it_does_not_know(tmp_path: Path):
    scene = Scene(tmp_path / "run")
    kept = {"rules/notes": (rules(READS, WRITES),), "scenarios/notes": ("no JSON",)}
    model = scripted(lambda _request: items(*COVERING))

    async def answer(request: Any) -> Any:
        return await CachedModel(model, kept)(request)

    assert "verified" == scene.generate(answer, replace(job(), allow_partial=True)).status
    assert [("scenarios/notes", True)] == [
        (one.prompt.unit, "CORRECTION REQUIRED" in one.messages[0].text) for one in model.requests
    ]
