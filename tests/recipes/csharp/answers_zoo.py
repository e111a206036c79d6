"""A small endpoint with one of everything, and its correct answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict

from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.ir import CsField, CsType, Endpoint, EnumValue

if TYPE_CHECKING:
    from retouch.engine.types import Issue, Prompt


class Case(TypedDict):
    """One defect, variant or fix of a data file. An edit is a page, the old text, and the new text."""

    name: str
    unit: str
    edits: list[tuple[int, str, str]]
    code: NotRequired[str]
    page: NotRequired[int]
    tier: NotRequired[int]
    severity: NotRequired[str]


DATA = Path(__file__).parent / "data"

ROOT = CsType(
    name="PetsDataObject",
    kind="class",
    is_root=True,
    description="A pet, as it stands in the register.",
    key=("id", "id"),
    fields=(
        CsField(json_name="id", name="Id", type="long", required=True, description="The number of the pet."),
        CsField(
            json_name="name",
            name="Name",
            type="string",
            required=True,
            attributes=("MinLength(1)", "MaxLength(80)"),
            description='Braces { and } and "quotes" // are text.',
        ),
        CsField(json_name="tag-list", name="TagList", type="string[]", nullable=True, description="Words about it."),
        CsField(json_name="owner", name="Owner", type="Owner", types=("Owner",), nullable=True),
        CsField(json_name="mood", name="Mood", type="Mood", types=("Mood",), required=True),
        CsField(json_name="@type", name="Type", type="string", required=True, nullable=True),
        CsField(json_name="born", name="Born", type="DateOnly", nullable=True, description="The day of its birth."),
        CsField(json_name="seen_at", name="SeenAt", type="DateTime", required=True),
        CsField(json_name="scores", name="Scores", type="Dictionary<string, double?>", nullable=True),
        CsField(json_name="matrix", name="Matrix", type="long[][]", required=True),
        CsField(json_name="parent", name="Parent", type="PetsDataObject", types=("PetsDataObject",), nullable=True),
        CsField(
            json_name="chip",
            name="Chip",
            type="string",
            nullable=True,
            attributes=("WriteOnly", 'Pattern("^[0-9]+$")'),
        ),
        CsField(json_name="weight", name="Weight", type="decimal", nullable=True, attributes=("Minimum(0)",)),
    ),
)  # fmt: skip
OWNER = CsType(
    name="Owner",
    kind="class",
    closed=True,
    fields=(
        CsField(json_name="uuid", name="Uuid", type="Guid", required=True),
        CsField(json_name="size", name="Size", type="Size", types=("Size",), nullable=True),
    ),
)
MOOD = CsType(
    name="Mood",
    kind="enum",
    description="How it feels.",
    values=tuple(
        EnumValue(value=value, name=name)
        for value, name in (("", "Empty"), ("+1", "Plus1"), ("-1", "Minus1"), ('so, "so"', "SoSo"), ("*", "Star"))
    ),
)
SIZE = CsType(
    name="Size",
    kind="enum",
    integer=True,
    values=tuple(EnumValue(value=value, name=f"Size{value}") for value in (1, 2, 40)),
)
ENDPOINT = Endpoint(
    method="GET",
    path="/pets/{id}",
    status="200",
    media_type="application/json",
    label="GET_pets_id",
    namespace="Connector.App.v1.Pets",
    types=(ROOT, OWNER, MOOD, SIZE),
    fields_per_page=6,
    values_per_page=3,
)


def prompts(endpoint: Endpoint = ENDPOINT) -> list[Prompt]:
    """Return all prompts of the endpoint."""
    return list(plan(endpoint))


def good_pages(endpoint: Endpoint = ENDPOINT) -> dict[str, list[str]]:
    """Return the correct answers of each type."""
    pages: dict[str, list[str]] = {}
    for prompt in plan(endpoint):
        pages.setdefault(prompt.unit, []).append(answer(prompt))
    return pages


def one_class(*fields: CsField, **changes: object) -> Endpoint:
    """Return an endpoint whose only type is a root class with these fields."""
    root = CsType(name="PetsDataObject", kind="class", is_root=True, fields=fields)
    return replace(ENDPOINT, types=(root,), **changes)  # pyright: ignore[reportArgumentType] - a test's own fields


def codes(issues: list[Issue]) -> list[str]:
    """Return the codes of issues, in order."""
    return [issue.code for issue in issues]


def cases(name: str) -> list[Case]:
    """Return the cases of a data file."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def edited(case: Case) -> list[str]:
    """Return the pages of the case's type with its edits: `*` replaces all, `^` goes before, `$...` is the last one."""
    pages = good_pages()[case["unit"]]
    for number, old, new in case["edits"]:
        text = pages[number - 1]
        if old == "*":
            text = new
        elif old == "^":
            text = new + text
        elif old.startswith("$"):
            before, found, after = text.rpartition(old[1:])
            assert old[1:] == found
            text = before + new + after
        else:
            assert old in text
            text = text.replace(old, new, -1 if old == "\n" else 1)
        pages[number - 1] = text
    return pages


def names(cases: list[Case]) -> list[str]:
    """Return the names of cases, as ids of tests."""
    return [case["name"] for case in cases]
