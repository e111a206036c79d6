"""Field sets against an independent reader of the same documents: datamodel-code-generator, read as text."""

from __future__ import annotations

import ast
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch._lib.python_source import parse_python
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from retouch.recipes.csharp.shapes.schemas import component_schemas
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from pathlib import Path


def generated_models(document: Path, target: Path) -> dict[str, dict[str, bool]]:
    """Return, for each class that the peer writes, which JSON names it has and whether they are required."""
    command = ["-m", "datamodel_code_generator", "--input", str(document), "--input-file-type", "openapi"]
    subprocess.run([sys.executable, "-W", "ignore", *command, "--output", str(target)], check=True, timeout=MOST_S)
    classes = {node.name: node for node in parse_python(target.read_text()).body if isinstance(node, ast.ClassDef)}
    return {name: fields for name in classes if (fields := fields_of_class(name, classes))}


def fields_of_class(name: str, classes: dict[str, ast.ClassDef]) -> dict[str, bool]:
    """Return the fields of a class and its bases; empty for enums and single values."""
    found: dict[str, bool] = {}
    for base in classes[name].bases:
        if isinstance(base, ast.Name) and base.id in classes:
            found |= fields_of_class(base.id, classes)
        elif not (isinstance(base, ast.Name) and base.id == "BaseModel"):
            return {}
    for line in classes[name].body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            json_name, required = field_of_line(line, line.target.id)
            found[json_name] = required
    return found


def field_of_line(line: ast.AnnAssign, name: str) -> tuple[str, bool]:
    """Return a field's JSON name and whether it is required: `x: int`, or `x: int = Field(..., alias='y')`."""
    if line.value is None:
        return name, True
    if not isinstance(line.value, ast.Call):
        return name, False
    aliases = [word.value for word in line.value.keywords if word.arg == "alias"]
    alias = aliases[0].value if aliases and isinstance(aliases[0], ast.Constant) else name
    first = line.value.args[:1]
    return str(alias), bool(first) and isinstance(first[0], ast.Constant) and first[0].value is Ellipsis


@pytest.mark.slow
@pytest.mark.parametrize(("name", "at_least"), [("museum.yaml", 7), ("oas_schema_circular.json", 8)])
def test_fields_agree_with_an_independent_reader(shared_data: Path, tmp_path: Path, name: str, at_least: int) -> None:
    path = shared_data / "openapi" / name
    theirs = generated_models(path, tmp_path / "models.py")
    document = load_document(path)
    compared = 0
    for schema, _ in component_schemas(document).entries():
        if schema in theirs:
            root = read_endpoint(document, "", ReadingOptions(style="connector", schema=schema)).root
            ours = {f.json_name: f.required for f in root.fields if "JsonExtensionData" not in f.attributes}
            assert theirs[schema] == ours, schema
            compared += 1
    assert at_least <= compared
