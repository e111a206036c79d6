"""Every verb works on a run that asks for the meaning, and the command keeps how a run asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import retouch as library
from retouch.engine.directory import load_ir
from retouch.engine.options import RunOptions
from retouch.engine.targets import Targets
from retouch.recipes.csharp.job import recipe
from tests.recipes.csharp.commands.conftest import retouch, work_folder
from tests.recipes.csharp.meaning.shop import DOCUMENT, model, order, proposal
from tests.recipes.csharp.meaning.test_meaning import GOOD

if TYPE_CHECKING:
    from tests.cli.conftest import Retouch

__all__ = ["retouch", "work_folder"]
NOT_COMPILED = RunOptions(compiler="none")


def made(tmp_path: Path) -> tuple[Path, str]:
    run = tmp_path / "run"
    library.generate(recipe, order(tmp_path / "doc"), run, model(GOOD), options=NOT_COMPILED)
    return run, (run / "Order.cs").read_text("utf-8")


def test_one_type_is_regenerated_and_nothing_else_changes(tmp_path: Path) -> None:
    run, before = made(tmp_path)
    other = model({"OrderBill": [proposal("name", "", "BillingIban")]})
    result = library.regenerate(recipe, run, other, Targets(units=("OrderBill",)), hint="Say it.", options=NOT_COMPILED)
    assert [] == [one for one in result.issues if one.is_error]
    assert ["OrderBill"] == [one.prompt.unit for one in other.requests]
    assert "A reviewer adds:" in other.requests[0].messages[0].text
    wanted = before.replace("BillingStreet", "BillingIban")
    wanted = wanted.replace("    /// <summary>The IBAN of the bill.</summary>\n", "")
    assert wanted == (run / "Order.cs").read_text("utf-8")


def test_a_manual_edit_may_rename_a_type_and_the_others_follow(tmp_path: Path) -> None:
    run, before = made(tmp_path)
    assert "public class ShippingAddress\n" in before
    (run / "Order.cs").write_text(before.replace("public class ShippingAddress", "public class Destination"), "utf-8")
    result = library.adopt(recipe, run, options=NOT_COMPILED)
    assert [] == [one for one in result.issues if one.is_error]
    code = (run / "Order.cs").read_text("utf-8")
    assert "public Destination? Ship { get; init; }" in code
    assert "ShippingAddress" not in code


def test_a_manual_edit_that_names_an_unknown_type_is_an_error(tmp_path: Path) -> None:
    run, before = made(tmp_path)
    edited = before.replace("public ShippingAddress? Ship", "public Elsewhere? Ship")
    (run / "Order.cs").write_text(edited, "utf-8")
    result = library.validate(recipe, run, options=NOT_COMPILED)
    assert ["UNDECLARED_TYPE"] == [one.code for one in result.issues if one.is_error]


def test_files_are_assembled_again_and_validated_as_they_were(tmp_path: Path) -> None:
    run, before = made(tmp_path)
    (run / "Order.cs").unlink()
    library.assemble(recipe, run, options=NOT_COMPILED)
    assert before == (run / "Order.cs").read_text("utf-8")
    assert [] == [one for one in library.validate(recipe, run, options=NOT_COMPILED).issues if one.is_error]


def test_an_edit_of_a_type_that_nothing_is_asked_about_is_not_called_checked(tmp_path: Path) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    document["components"]["schemas"]["Flag"] = {
        "type": "object",
        "description": "Where a banner hangs, seen from above.",
        "properties": {"height": {"type": "integer", "description": "How far above ground it hangs."}},
    }
    document["components"]["schemas"]["Order"]["properties"]["flag"] = {"$ref": "#/components/schemas/Flag"}
    source = order(tmp_path / "doc", document)
    assert "Flag" not in {one.unit for one in recipe.plan(source)}
    run = tmp_path / "run"
    library.generate(recipe, source, run, model({}), options=NOT_COMPILED)
    code = (run / "Order.cs").read_text("utf-8")
    (run / "Order.cs").write_text(code.replace("public long? Height", "public string? Height"), "utf-8")
    result = library.validate(recipe, run, options=NOT_COMPILED)
    assert "Flag" in source.by_name
    assert "verified" != result.status
    edits = [one.message for one in result.issues if one.code == "MANUAL_EDIT"]
    assert "the block 'Flag', which no answer belongs to" in edits[0]


def generated(run: Retouch, *words: str) -> Any:
    done = run("generate", "csharp", "api.json", *words, "--compiler", "none", "--json")
    return json.loads(done.stdout)


def test_the_command_asks_for_the_meaning_and_a_run_keeps_how_it_asks(retouch: Retouch) -> None:
    Path("api.json").write_text(json.dumps(DOCUMENT), "utf-8")
    words = ("GET /orders/{id}", "--style", "plain")
    assert 1 == generated(retouch, *words, "--ask", "meaning", "-o", "a")["calls"]
    assert "meaning" == load_ir(Path("a"), recipe).source.ask
    assert 0 == generated(retouch, *words, "--ask", "meaning", "-o", "a")["calls"]


def test_without_the_option_a_run_keeps_its_own_and_a_new_offline_run_is_a_transcript(
    retouch: Retouch, monkeypatch: Any
) -> None:
    Path("api.json").write_text(json.dumps(DOCUMENT), "utf-8")
    generated(retouch, "GET /orders/{id}", "--ask", "meaning", "-o", "a")
    monkeypatch.delenv("RETOUCH_ASK")
    assert 0 == generated(retouch, "GET /orders/{id}", "-o", "a")["calls"]
    assert 1 < generated(retouch, "GET /orders/{id}", "-o", "b")["calls"]
    assert "transcript" == load_ir(Path("b"), recipe).source.ask


def test_a_project_is_asked_in_packed_requests(retouch: Retouch) -> None:
    Path("api.json").write_text(json.dumps(DOCUMENT), "utf-8")
    found = generated(retouch, "--all", "--style", "plain", "--ask", "meaning", "-o", "p")
    assert (1, 4) == (found["calls"], found["project"]["types"])
    plain = generated(retouch, "--all", "--style", "plain", "--ask", "transcript", "-o", "q")
    assert 1 < plain["calls"]
    for name in found["project"]["files"]:
        assert Path("p", name).read_bytes() == Path("q", name).read_bytes()


def test_the_connector_style_can_be_asked_too(retouch: Retouch) -> None:
    Path("api.json").write_text(json.dumps(DOCUMENT), "utf-8")
    generated(retouch, "GET /orders/{id}", "--style", "connector", "--ask", "meaning", "-o", "a")
    generated(retouch, "GET /orders/{id}", "--style", "connector", "--ask", "transcript", "-o", "b")
    assert Path("a/OrderDataObject.cs").read_bytes() == Path("b/OrderDataObject.cs").read_bytes()
