"""Members that a class of several variants requires, and that a valid example of the document does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from tests.recipes.csharp.read_documents import fields_of, read, record, spec, types_of

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.ir import CsField

TEXT = {"type": "string"}
TEAM = record("name", "type", name=TEXT, type=TEXT)
REVIEWED = record("id", id=TEXT, reviewers={"type": "array", "items": {"$ref": "#/components/schemas/Team"}})
OTHER = record("id", id=TEXT, minutes={"type": "integer"})
LACKING: JSON = [{"id": "a", "reviewers": [{"name": "b"}]}]


def team(folder: Path, rules: Any, example: JSON) -> dict[str, CsField]:
    schema = {"type": "array", "items": {"$ref": "#/components/schemas/Rule"}}
    document = spec(schema, {"Team": TEAM, "Rule": rules})
    document["paths"]["/things/{id}"]["get"]["responses"]["200"]["content"]["application/json"]["example"] = example
    return fields_of(types_of(read(folder, document, ReadingOptions(style="plain")))["Team"])


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_what_a_valid_example_of_another_variant_lacks_is_not_required(tmp_path: Path, keyword: str) -> None:
    fields = team(tmp_path, {keyword: [REVIEWED, OTHER]}, LACKING)
    assert (False, True) == (fields["type"].required, fields["type"].nullable)
    assert ("required, but a valid example of another variant around it lacks it",) == fields["type"].notes
    assert fields["name"].required


@pytest.mark.parametrize(
    ("rules", "example"),
    [
        ({"anyOf": [REVIEWED, OTHER]}, [{"id": "a", "reviewers": [{"name": "b", "type": "c"}]}]),
        ({"anyOf": [REVIEWED, {**OTHER, "additionalProperties": False}]}, LACKING),  # the example is not valid
        ({"anyOf": [REVIEWED, {**OTHER, "required": ["id", "minutes"]}]}, LACKING),
        (REVIEWED, LACKING),
    ],
)
def test_what_only_an_invalid_example_lacks_stays_required(tmp_path: Path, rules: Any, example: JSON) -> None:
    assert team(tmp_path, rules, example)["type"].required
