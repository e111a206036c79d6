"""`decisions.json`: what the user settles wins over the model, and survives new answers and new documents."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch._lib.run_sync import run_sync
from retouch.engine.options import RunOptions
from retouch.errors import BadInput, BrokenFile
from retouch.recipes.csharp.commands.rewriting import with_decisions, written_decisions
from retouch.recipes.csharp.job import recipe
from tests.recipes.csharp.meaning.shop import DOCUMENT, model, order, proposal
from tests.recipes.csharp.meaning.test_meaning import GOOD

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.testing import Scripted

NOT_COMPILED = RunOptions(compiler="none")


def made(tmp_path: Path, used: Scripted, document: Any = DOCUMENT) -> tuple[str, list[str]]:
    """Make or resume the run as the command does; return its C#, and the notes about decisions."""
    run = tmp_path / "run"
    source = with_decisions(order(tmp_path / "doc", document), run)
    retouch.generate(recipe, source, run, used, options=NOT_COMPILED)
    notes = run_sync(written_decisions(run))
    return (run / "Order.cs").read_text("utf-8"), notes


def entries(tmp_path: Path) -> list[dict[str, Any]]:
    return json.loads((tmp_path / "run" / "decisions.json").read_text("utf-8"))["decisions"]


def settle(tmp_path: Path, kind: str, *, settled: bool, **other: Any) -> None:
    listed = [{**one, "settled": settled, **other} if one["kind"] == kind else one for one in entries(tmp_path)]
    text = json.dumps({"version": 1, "decisions": listed})
    (tmp_path / "run" / "decisions.json").write_text(text, "utf-8")


def test_what_was_taken_and_asked_is_listed_once(tmp_path: Path) -> None:
    _, notes = made(tmp_path, model(GOOD))
    assert ["decisions.json: 1 open question"] == notes
    kinds = [one["kind"] for one in entries(tmp_path)]
    assert "summary" not in kinds
    assert {"name", "value_name", "key", "type", "enum_value", "nullable", "personal", "question"} == set(kinds)
    assert [["open", "packed", "sent"]] == [one["value"] for one in entries(tmp_path) if one["kind"] == "enum_value"]
    before = entries(tmp_path)
    made(tmp_path, model({}))
    assert before == entries(tmp_path)


def test_what_the_user_refuses_is_not_written_and_costs_no_call(tmp_path: Path) -> None:
    made(tmp_path, model(GOOD))
    settle(tmp_path, "name", settled=False)
    settle(tmp_path, "question", settled=True)
    used = model(GOOD)
    code, notes = made(tmp_path, used)
    assert [] == used.requests
    assert [] == notes
    assert "class OrderShip\n" in code
    assert "ShippingAddress" not in code
    assert {"refused"} == {one["state"] for one in entries(tmp_path) if one["kind"] == "name"}


def test_what_the_user_settled_is_no_longer_to_be_reviewed(tmp_path: Path) -> None:
    made(tmp_path, model(GOOD))
    page = (tmp_path / "run" / "schema.md").read_text("utf-8")
    assert "Which form does the day have?" in page.partition("## To review")[2].partition("\n## ")[0]
    settle(tmp_path, "question", settled=True)
    settle(tmp_path, "personal", settled=True)
    made(tmp_path, model(GOOD))
    page = (tmp_path / "run" / "schema.md").read_text("utf-8")
    assert "## To review" not in page
    assert "personal data: It is the phone number of the customer." in page


def test_a_proposal_that_says_what_stands_already_is_not_called_unused(tmp_path: Path) -> None:
    made(tmp_path, model(GOOD))
    source = with_decisions(order(tmp_path / "doc"), tmp_path / "run")
    result = retouch.generate(recipe, source, tmp_path / "run", model(GOOD), options=NOT_COMPILED)
    assert [] == [one.message for one in result.issues if one.code == "PROPOSAL_DROPPED"]


def test_what_the_user_settles_differently_wins_over_the_model(tmp_path: Path) -> None:
    made(tmp_path, model({"OrderShip": GOOD["OrderShip"]}))
    settle(tmp_path, "name", settled=True, value="Destination")
    code, _ = made(tmp_path, model({}))
    assert "public class Destination\n" in code
    assert "public Destination? Ship" in code


def test_a_name_that_was_taken_stays_after_a_change_of_the_document(tmp_path: Path) -> None:
    made(tmp_path, model(GOOD))
    changed = deepcopy(DOCUMENT)
    ship = changed["components"]["schemas"]["Order"]["properties"]["ship"]
    ship["properties"]["zip"] = {"type": "string"}
    used = model({"OrderShip": [proposal("name", "", "StreetAndCity")]})
    code, _ = made(tmp_path, used, changed)
    assert {"Order", "OrderShip"} >= {one.prompt.unit for one in used.requests}
    assert "public class ShippingAddress\n" in code
    assert "StreetAndCity" not in code


def test_what_the_document_no_longer_has_is_kept_and_said(tmp_path: Path) -> None:
    made(tmp_path, model(GOOD))
    settle(tmp_path, "personal", settled=True)
    changed = deepcopy(DOCUMENT)
    del changed["components"]["schemas"]["Order"]["properties"]["phone_number"]
    _, notes = made(tmp_path, model({}), changed)
    assert ["decisions.json: the document no longer has Order.phone_number"] == notes
    assert ["gone"] == [one["state"] for one in entries(tmp_path) if one["kind"] == "personal"]
    assert [] == made(tmp_path, model({}), changed)[1]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", BrokenFile),
        ('{"version": 2, "decisions": []}', BrokenFile),
        ('{"version": 1, "decisions": [{"type": "Order", "kind": "colour"}]}', BrokenFile),
        ('{"version": 1, "decisions": [{"type": "Order", "kind": "key", "settled": 1}]}', BrokenFile),
        (
            '{"version": 1, "decisions": [{"type": "OrderShip", "kind": "name", "value": "class", "settled": true}]}',
            BadInput,
        ),
        (
            '{"version": 1, "decisions": [{"type": "Order", "member": "ship", "kind": "key", "settled": true}]}',
            BadInput,
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_and_not_overwritten(
    tmp_path: Path, text: str, error: type[Exception]
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "decisions.json").write_text(text, "utf-8")
    with pytest.raises(error, match="decisions"):
        made(tmp_path, model({}))
    assert text == (tmp_path / "run" / "decisions.json").read_text("utf-8")
