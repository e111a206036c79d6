"""Proposals, decisions and manual edits of C# whose types are of a hierarchy, or whose document changed."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch._lib.run_sync import run_sync
from retouch.engine.options import RunOptions
from retouch.engine.packs import packed_answer
from retouch.errors import BadInput
from retouch.recipes.csharp.commands.rewriting import with_decisions, written_decisions
from retouch.recipes.csharp.commands.run_time import command
from retouch.recipes.csharp.job import recipe
from retouch.recipes.csharp.meaning.answers import read_meaning
from retouch.recipes.csharp.reading.project import read_project
from retouch.testing import scripted
from tests.recipes.csharp.meaning.shop import DOCUMENT, MEANING, answer, model, order, proposal
from tests.recipes.csharp.read_documents import record, saved, spec
from tests.recipes.csharp.runtime.test_run_time import stand_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from retouch.engine.overview import RunResult
    from retouch.engine.types import Prompt, Request
    from retouch.testing import Scripted

NOT_COMPILED = RunOptions(compiler="none")
TEXT = {"type": "string"}
ENUM = [proposal("enum_value", "status", value) for value in ("open", "packed", "sent")]
NAMES = {"OrderShip": [proposal("name", "", "StreetCity")], "OrderBill": [proposal("name", "", "BillIban")]}
VALUES = {"OrderLevel": [proposal("value_name", "0", "Normal"), proposal("value_name", "1", "Rush")]}


def ref(name: str) -> Any:
    return {"$ref": f"#/components/schemas/{name}"}


def made(tmp_path: Path, used: Scripted, document: Any = DOCUMENT) -> str:
    """Make or resume the run as the command does, and return its C#."""
    run = tmp_path / "run"
    source = with_decisions(order(tmp_path / "doc", document), run)
    retouch.generate(recipe, source, run, used, options=NOT_COMPILED)
    run_sync(written_decisions(run))
    return (run / "Order.cs").read_text("utf-8")


def decide(tmp_path: Path, *entries: dict[str, Any]) -> None:
    (tmp_path / "run").mkdir(parents=True, exist_ok=True)
    text = json.dumps({"version": 1, "decisions": [{"settled": True, **one} for one in entries]})
    (tmp_path / "run" / "decisions.json").write_text(text, "utf-8")


def edited(tmp_path: Path, change: Callable[[str], str]) -> RunResult:
    """Edit the C# of the run, and validate it."""
    path = tmp_path / "run" / "Order.cs"
    before = path.read_text("utf-8")
    after = change(before)
    assert before != after
    path.write_text(after, "utf-8")
    return retouch.validate(recipe, tmp_path / "run", options=NOT_COMPILED)


def errors_of(result: RunResult) -> list[str]:
    return [one.code for one in result.issues if one.is_error]


def test_a_model_that_answers_in_csharp_is_not_read_as_a_manual_edit(tmp_path: Path) -> None:
    source = order(tmp_path / "doc")
    whole = read_meaning(source, "OrderShip", [answer()]).value
    assert whole is not None
    wrong = whole.text.replace("class OrderShip", "class Giraffe").replace("string?", "Guid?")

    def reply(request: Request) -> str:
        def of(prompt: Prompt) -> str:
            return wrong if prompt.unit == "OrderShip" else answer()

        if request.parts:
            return packed_answer(request, {key: of(prompt) for key, prompt in request.parts})
        return of(request.prompt)

    result = retouch.generate(recipe, source, tmp_path / "run", scripted(reply), options=NOT_COMPILED)
    code = (tmp_path / "run" / "Order.cs").read_text("utf-8")
    assert ("Giraffe" in code, "Guid" in code) == (False, False)
    assert "answered by 'offline'" in "".join(result.notes)


@pytest.mark.parametrize("now", [{"type": "array", "items": TEXT}, {"type": "integer"}, {"type": "boolean"}])
@pytest.mark.parametrize(
    ("member", "kind", "value", "written"),
    [
        ("placed", "type", "date-time", "DateTimeOffset? Placed"),
        ("status", "enum_value", ["open", "packed", "sent"], "OrderStatus? Status"),
    ],
)
def test_a_settled_type_is_not_put_over_another_type_of_a_changed_document(
    tmp_path: Path, now: Any, member: str, kind: str, value: Any, written: str
) -> None:
    decide(tmp_path, {"type": "Order", "member": member, "kind": kind, "value": value})
    assert written in made(tmp_path, model({}))
    changed = deepcopy(DOCUMENT)
    changed["components"]["schemas"]["Order"]["properties"][member] = now
    with pytest.raises(BadInput, match=f"Order.{member}"):
        made(tmp_path, model({}), changed)


@pytest.mark.parametrize("values", [["open"], ["open", "open"], ["open", " sent"], ["open", ""]])
def test_settled_values_that_are_no_enum_are_refused(tmp_path: Path, values: list[str]) -> None:
    decide(tmp_path, {"type": "Order", "member": "status", "kind": "enum_value", "value": values})
    with pytest.raises(BadInput, match="different values"):
        made(tmp_path, model({}))


def test_a_kept_name_of_a_value_goes_if_the_document_gives_it_to_another_value(tmp_path: Path) -> None:
    assert "Normal = 0," in made(tmp_path, model(VALUES))
    changed = deepcopy(DOCUMENT)
    level = changed["components"]["schemas"]["Order"]["properties"]["level"]
    level["description"] = "How urgent the order is. 0 means rush, and 1 means normal."
    code = made(tmp_path, model({}), changed)
    assert ("Normal = 0," in code, "Rush = 1," in code) == (False, False)
    level["x-enum-varnames"] = ["Express", "Usual"]
    assert "Express = 0," in made(tmp_path, model({}), changed)


def test_a_kept_name_of_a_value_that_is_gone_is_no_crash(tmp_path: Path) -> None:
    made(tmp_path, model(VALUES))
    changed = deepcopy(DOCUMENT)
    changed["components"]["schemas"]["Order"]["properties"]["level"]["enum"] = [0, 2]
    assert "Rush" not in made(tmp_path, model({}), changed)


def test_a_settled_type_wins_over_proposed_values_and_the_other_way_round(tmp_path: Path) -> None:
    decide(tmp_path, {"type": "Order", "member": "status", "kind": "type", "value": "uri"})
    assert "public Uri? Status" in made(tmp_path, model({"Order": ENUM}))
    decide(tmp_path / "other", {"type": "Order", "member": "link", "kind": "enum_value", "value": ["a", "b"]})
    link = proposal("type", "link", "uri", "The URL of the order")
    assert "public OrderLink? Link" in made(tmp_path / "other", model({"Order": [link]}))


def test_what_the_user_settles_is_written_if_nothing_else_is_asked_about_the_type(tmp_path: Path) -> None:
    document = deepcopy(DOCUMENT)
    cost = {"type": "number", "description": "How much a banner costs above ground."}
    flag = {"type": "object", "description": "Where a banner hangs, seen from above.", "properties": {"height": cost}}
    document["components"]["schemas"]["Flag"] = flag
    document["components"]["schemas"]["Order"]["properties"]["flag"] = ref("Flag")
    assert "public double? Height" in made(tmp_path, model({}), document)
    decide(tmp_path, {"type": "Flag", "member": "height", "kind": "type", "value": "money"})
    assert "public decimal? Height" in made(tmp_path, model({}), document)


def test_a_manual_edit_cannot_exchange_two_types_of_the_document(tmp_path: Path) -> None:
    made(tmp_path, model({**NAMES, "Order": ENUM}))
    result = edited(tmp_path, lambda code: code.replace("StreetCity? Ship", "BillIban? Ship"))
    assert ["WRONG_TYPE"] == errors_of(result)
    result = edited(tmp_path, lambda code: code.replace("BillIban? Ship", "JsonElement? Ship"))
    assert ["WRONG_TYPE"] == errors_of(result)


def test_a_manual_edit_of_a_type_with_an_added_enum_keeps_what_the_enum_needs(tmp_path: Path) -> None:
    made(tmp_path, model({"Order": ENUM}))
    edited(tmp_path, lambda code: code.replace("The URL of the order.", "The URL of the sent order."))
    retouch.adopt(recipe, tmp_path / "run", options=NOT_COMPILED)
    (tmp_path / "run" / "Order.cs").unlink()
    retouch.assemble(recipe, tmp_path / "run", options=NOT_COMPILED)
    code = (tmp_path / "run" / "Order.cs").read_text("utf-8")
    assert (1, 1) == (code.count("The URL of the sent order."), code.count("public interface IOpenEnum\n"))


def test_two_added_enums_never_have_one_name_or_one_of_dotnet(tmp_path: Path) -> None:
    schemas = {
        "Order": record(ship=ref("OrderShip"), date=ref("Date"), shipKind=LISTED),
        "OrderShip": record(kind=LISTED),
        "Date": record(time=LISTED, at={"type": "string", "format": "date-time"}),
    }
    members = {"Order": "shipKind", "OrderShip": "kind", "Date": "time"}
    given = {
        unit: [proposal("enum_value", one, value) for value in ("open", "closed")] for unit, one in members.items()
    }
    code = made(tmp_path, model(given), spec(ref("Order"), schemas, path="/orders/{id}"))
    assert [] == [line for line in code.split("\n") if "struct Order" in line or "struct Date" in line]


LISTED = {"type": "string", "description": "One of: open, closed."}


def pets(**when: Any) -> Any:
    """An order with a pet, which is a cat or a dog, and a thing whose classes the document does not name."""
    cat = record("kind", kind=TEXT, born={"type": "string", "description": "The day, YYYY-MM-DD."}, when=when["cat"])
    dog = record("kind", kind=TEXT, when={"type": "string"})
    own = record(kind=TEXT, when={"type": "string", "example": "2024-05-01"}, state=LISTED)
    pet = {**own, "oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind"}}
    parts = [record("t", t={"enum": ["a"]}, xray=TEXT), record("t", t={"enum": ["b"]}, yarn=TEXT)]
    thing = {"oneOf": parts, "discriminator": {"propertyName": "t"}}
    for part in parts:
        part["properties"]["t"]["type"] = "string"
    schemas = {"Order": record("pet", pet=ref("Pet"), thing=thing), "Pet": pet, "Cat": cat, "Dog": dog}
    return spec(ref("Order"), schemas, path="/orders/{id}")


WHEN = proposal("type", "when", "date", "")
BORN = proposal("type", "born", "date", "The day, YYYY-MM-DD")


@pytest.mark.parametrize(
    ("of_cat", "taken"),
    [
        ({"type": "string"}, True),
        ({"type": "string", "example": "2024-06-01"}, True),
        ({"type": "string", "example": "yesterday"}, False),
        ({"type": "string", "pattern": "^[a-z]+$"}, False),
        ({"type": "string", "maxLength": 4}, False),
    ],
)
def test_a_property_of_a_base_class_gets_a_type_only_if_its_variants_allow_it(
    tmp_path: Path, of_cat: Any, *, taken: bool
) -> None:
    source = order(tmp_path, pets(cat=of_cat))
    read = read_meaning(source, "Pet", [answer(WHEN)])
    assert read.value is not None
    assert taken == ("public DateOnly? When" in read.value.text)


def test_an_example_of_a_union_is_one_of_its_variant(tmp_path: Path) -> None:
    document = pets(cat=TEXT)
    content = document["paths"]["/orders/{id}"]["get"]["responses"]["200"]["content"]["application/json"]
    for born, taken in (("long ago", False), ("2024-05-01", True)):
        content["example"] = {"pet": {"kind": "Cat", "born": born}}
        read = read_meaning(order(tmp_path, document), "Cat", [answer(BORN)])
        assert read.value is not None
        assert taken == bool(read.value.taken)


def test_of_merged_types_every_example_counts(tmp_path: Path) -> None:
    schemas = {
        "A": record(when={"type": "string", "example": "2024-05-01"}),
        "B": record(when={"type": "string", "example": "yesterday"}),
        "Order": record(a=ref("A"), b=ref("B")),
    }
    document = saved(tmp_path, spec(ref("Order"), schemas))
    source = read_project(document, ["GET /things/{id}"], MEANING, merge=True)
    assert {"A", "Order"} == set(source.by_name) == {one.name for one in source.facts}
    read = read_meaning(source, "A", [answer(WHEN)])
    assert read.value is not None
    assert () == read.value.taken


def hierarchy(tmp_path: Path) -> str:
    """Make a run whose derived classes the model names, with an added enum in a base class; return its C#."""
    source = order(tmp_path / "doc", pets(cat=TEXT))
    units = [one.name for one in source.types if one.base == "OrderThing"]
    script = {unit: [proposal("name", "", f"Order{word}")] for unit, word in zip(units, ("Xray", "Yarn"), strict=True)}
    values = [proposal("enum_value", "state", value) for value in ("open", "closed")]
    retouch.generate(recipe, source, tmp_path / "run", model({**script, "Pet": values}), options=NOT_COMPILED)
    return (tmp_path / "run" / "Order.cs").read_text("utf-8")


def test_a_manual_edit_of_a_hierarchy_whose_classes_were_renamed_is_no_error(tmp_path: Path) -> None:
    assert '[JsonDerivedType(typeof(OrderXray), "a")]' in hierarchy(tmp_path)
    above = '[JsonPolymorphic(TypeDiscriminatorPropertyName = "t"'
    result = edited(tmp_path, lambda code: code.replace(above, f"/// <summary>The thing.</summary>\n{above}"))
    assert [] == errors_of(result)
    member = '    [JsonPropertyName("xray")]'
    result = edited(tmp_path, lambda code: code.replace(member, f"    /// <summary>The xray.</summary>\n{member}"))
    assert [] == errors_of(result)
    assert [] == errors_of(retouch.adopt(recipe, tmp_path / "run", options=NOT_COMPILED))


def test_run_time_payloads_are_those_of_the_types_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hierarchy(tmp_path)
    found = 're.search(rf\'(class|struct|enum) {payload["type"].rpartition(".")[2]}\\b\', text)'
    loads = 'import re; text = pathlib.Path("Model.cs").read_text(); '
    answered = f'results.append({{"json": payload["json"]}} if {found} else {{"error": "TypeLoadException"}})'
    stand_in(tmp_path, loads + answered)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert 0 == command.main([str(tmp_path / "run"), "--json"], standalone_mode=False)
    report = json.loads(capsys.readouterr().out)
    assert (".NET 9", 0, {}) == (report["runtime"], report["failed"], report["not_run"])
    assert 8 == report["passed"]  # the added enum too


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('typeof(OrderXray), "a"', 'typeof(OrderYarn), "a"'),
        ('typeof(OrderXray), "a"', 'typeof(Cat), "a"'),
        ("class OrderXray : OrderThing", "class OrderXray : Pet"),
        ("class OrderXray : OrderThing", "class OrderXray"),
        ('typeof(OrderXray), "a"', 'typeof(OrderXray), "c"'),
        ('"t", IgnoreUnrecognizedTypeDiscriminators = true', '"u", IgnoreUnrecognizedTypeDiscriminators = true'),
    ],
)
def test_a_manual_edit_cannot_change_what_a_discriminator_selects(tmp_path: Path, old: str, new: str) -> None:
    hierarchy(tmp_path)
    assert [] != errors_of(edited(tmp_path, lambda code: code.replace(old, new)))
