"""Everything is on disk before anything is built on it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate
from retouch.errors import ModelError, RecipeBug
from retouch.testing import scripted
from tests.engine.conftest import honest, one_at_a_time, run, wrong_first
from tests.engine.glossary import answer

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.engine.types import Request
    from tests.engine.conftest import Scene
    from tests.engine.glossary import Glossary

PAGE_HEAD = ["index", "type_name", "is_root", "page", "total_pages", "model", "generated_at"]
PAGE_KEYS = [*PAGE_HEAD, "input_tokens", "output_tokens", "output", "cached_tokens", "prompt_hash"]


def test_prompts_and_source_are_on_disk_before_the_first_call(scene: Scene) -> None:
    seen: list[bool] = []

    def look(request: Request) -> str:
        seen.append((scene.folder / "prompts.json").exists() and (scene.folder / "ir.json").exists())
        return answer(request.prompt)

    scene.generate(scripted(look))
    assert [True] * 3 == seen


def test_an_intent_is_committed_before_its_request_leaves(scene: Scene) -> None:
    seen: list[bool] = []

    def look(request: Request) -> str:
        view = open_run(scene.folder).history
        seen.append(any(a.request == request and a.reply is None for a in view.attempts.values()))
        return answer(request.prompt)

    scene.generate(scripted(look))
    assert [True] * 3 == seen


def test_a_reply_is_committed_before_the_worker_that_got_it_asks_again(scene: Scene) -> None:
    replies: list[int] = []

    def look(request: Request) -> str:
        replies.append(len(scene.rows("reply")))
        return answer(request.prompt)

    scene.generate(scripted(look), options=one_at_a_time())
    assert [0, 1, 2] == replies


def test_a_rejected_reply_is_committed_before_its_repair_leaves(scene: Scene) -> None:
    texts: list[list[str]] = []

    def look(request: Request) -> str:
        found = open_run(scene.folder).history.attempts.values()
        texts.append([a.reply.text for a in found if a.reply is not None and a.unit == "tools"])
        return "nonsense" if len(texts) == 3 else answer(request.prompt)

    scene.generate(scripted(look), options=one_at_a_time())
    assert ["nonsense"] == texts[-1]


def test_pages_json_has_the_keys_of_the_first_seed_in_its_order(scene: Scene) -> None:
    scene.generate()
    pages = scene.json("pages.json")
    assert ["version", "ir_hash", "generated_at", "model", "pages"] == list(pages)
    assert [PAGE_KEYS] * 3 == [list(page) for page in pages["pages"]]


def test_pages_json_is_parallel_to_prompts_json(scene: Scene) -> None:
    scene.generate()
    prompts, pages = scene.json("prompts.json"), scene.json("pages.json")["pages"]
    identity = ("type_name", "page", "total_pages")
    assert [[p[key] for key in identity] for p in prompts] == [[p[key] for key in identity] for p in pages]
    assert [0, 1, 2] == [page["index"] for page in pages]


def test_prompts_json_is_a_bare_list_with_the_keys_of_the_first_seed(scene: Scene) -> None:
    scene.generate()
    keys = ["type_name", "is_root", "page", "total_pages", "system", "user"]
    assert [keys] * 3 == [list(prompt) for prompt in scene.json("prompts.json")]


def test_a_heading_of_the_recipe_stands_behind_the_version(scene: Scene) -> None:
    def heading(_source: Glossary) -> dict[str, JSON]:
        return {"endpoint": {"method": "GET", "path": "/words"}}

    scene.use(heading=heading)
    scene.generate()
    assert ["version", "endpoint", "ir_hash"] == list(scene.json("pages.json"))[:3]


def test_a_page_without_an_answer_stands_with_no_output_and_no_model(scene: Scene) -> None:
    model = wrong_first({("tools", 1): [ModelError("no more credit")]})
    with pytest.raises(ModelError, match="no more credit"):
        scene.generate(model, options=one_at_a_time())
    page = scene.json("pages.json")["pages"][2]
    assert (None, None) == (page["output"], page["model"])


def test_the_answers_that_came_before_a_model_gave_up_are_in_pages_json(scene: Scene) -> None:
    model = wrong_first({("tools", 1): [ModelError("no more credit")]})
    with pytest.raises(ModelError):
        scene.generate(model, options=one_at_a_time())
    outputs = [page["output"] for page in scene.json("pages.json")["pages"]]
    assert ["cat=CAT\ndog=DOG", "eel=EEL", None] == outputs


def test_no_clock_and_no_verdict_is_in_the_hash_of_the_source(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): ["x"] * 9}))
    first = scene.json("pages.json")["ir_hash"]
    scene.generate(honest())
    assert first == scene.json("pages.json")["ir_hash"]


def test_two_generates_of_one_source_write_the_same_bytes_but_for_the_clock(scene: Scene) -> None:
    scene.generate()
    before = {name: data for name, data in scene.tree().items() if name != "ledger.db"}
    scene.generate()
    after = {name: data for name, data in scene.tree().items() if name != "ledger.db"}
    assert before == after


def test_a_second_generate_asks_nothing(scene: Scene) -> None:
    scene.generate()
    model = honest()
    assert 0 == scene.generate(model).calls
    assert [] == model.requests


def test_text_with_half_a_character_does_not_break_the_folder(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): ["axe=A\ud800X\udc80\nsaw=SAW"]}))
    assert "verified" == scene.validate().status
    assert "axe=A\ufffdX\ufffd" in scene.text()
    assert json.loads((scene.folder / "pages.json").read_bytes())


def test_ledger_rows_of_a_run_say_what_happened_in_order(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): ["nonsense"]}), options=one_at_a_time())
    kinds = [row.kind for row in scene.rows() if row.kind not in {"text", "round"} and row.unit in {"tools", None}]
    tools = [kind for kind in kinds if kind in {"intent", "settled", "writing", "written"}]
    assert ["intent", "settled", "settled", "intent", "settled"] == tools[:5]
    assert ["writing", "written"] == tools[-2:]


def test_pages_json_is_up_to_date_when_tier_3_asks_for_repairs(scene: Scene) -> None:
    seen: list[list[str | None]] = []

    def look(request: Request) -> str:
        if (scene.folder / "pages.json").exists():
            seen.append([page["output"] for page in scene.json("pages.json")["pages"]])
        return "axe=CAT\nsaw=SAW" if request.prompt.unit == "tools" and not seen else answer(request.prompt)

    scene.generate(scripted(look))
    assert [["cat=CAT\ndog=DOG", "eel=EEL", "axe=CAT\nsaw=SAW"]] == seen


def test_a_generate_that_fails_to_plan_writes_no_prompts(scene: Scene) -> None:
    def fail(_source: object) -> None:
        raise RuntimeError("no plan")

    scene.use(plan=fail)
    with pytest.raises(RecipeBug, match=r"recipe .glossary.: plan\(\) raised RuntimeError: no plan"):
        run(generate(scene.recipe, scene.source, scene.folder, honest(), RunOptions()))
    assert not (scene.folder / "prompts.json").exists()
