"""Blocks between markers: wrapped, found, replaced literally, and safe from text that looks like a marker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.recipe import Unread
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.writing.blocks import (
    assemble_cs,
    extract_type_block,
    list_type_names,
    replace_type_block,
    wrap_type_block,
)
from retouch.recipes.csharp.writing.files import assemble, blocks, compose, stitch_and_assemble
from tests.recipes.csharp.answers_zoo import ENDPOINT, good_pages

if TYPE_CHECKING:
    from retouch.recipes.csharp.writing.code import CsCode

FILE = assemble_cs([("Project", "class Project\n{\n}"), ("ExtendedFlag", "enum ExtendedFlag\n{\n}"), ("Flag", "// f")])


def values() -> dict[str, CsCode]:
    read_units = {unit: read(ENDPOINT, unit, pages).value for unit, pages in good_pages().items()}
    return {unit: value for unit, value in read_units.items() if value is not None}


def test_a_block_is_between_its_markers():
    assert "// [SCHMITH:BEGIN A]\nclass A { }\n// [SCHMITH:END A]" == wrap_type_block("A", "\n\nclass A { }\n\n")


def test_blocks_are_joined_by_a_blank_line_and_end_with_one_line_end():
    assert FILE.endswith("// [SCHMITH:END Flag]\n")
    assert "]\n\n// [SCHMITH:BEGIN ExtendedFlag]\n" in FILE
    assert "" == assemble_cs([])


def test_the_names_are_listed_in_order():
    assert ["Project", "ExtendedFlag", "Flag"] == list_type_names(FILE)
    assert [] == list_type_names("class Project { }")


def test_a_block_is_found_by_its_whole_name():
    assert "// f" == extract_type_block(FILE, "Flag")
    assert None is extract_type_block(FILE, "Extended")
    assert None is extract_type_block(FILE, "")


def test_what_was_wrapped_is_found_again():
    assert "enum ExtendedFlag\n{\n}" == extract_type_block(FILE, "ExtendedFlag")


def test_a_block_is_replaced_and_nothing_else():
    changed = replace_type_block(FILE, "ExtendedFlag", "enum ExtendedFlag { A }\n")
    assert FILE.replace("enum ExtendedFlag\n{\n}", "enum ExtendedFlag { A }") == changed


def test_the_new_code_is_taken_literally():
    code = r'[Pattern("\1 \g<0> $1 $& \\d")] // {0} %s'
    assert code == extract_type_block(replace_type_block(FILE, "Flag", code), "Flag")


def test_replacing_an_unknown_type_names_the_known_ones():
    with pytest.raises(ValueError, match="no block of type 'Flags'; the file has Project, ExtendedFlag, Flag"):
        replace_type_block(FILE, "Flags", "")


def test_line_ends_of_the_file_are_kept():
    windows = "\ufeff" + FILE.replace("\n", "\r\n")
    changed = replace_type_block(windows, "Project", "class Project\n{\n    int A;\n}")
    assert changed.count("\n") == changed.count("\r\n")
    assert changed.startswith("\ufeff// [SCHMITH:BEGIN Project]")
    assert "class Project\n{\n    int A;\n}" == extract_type_block(changed, "Project")


def test_indented_markers_survive_and_keep_their_indent():
    indented = "".join(f"    {line}\n" if line else "\n" for line in FILE.split("\n")[:-1])
    assert ["Project", "ExtendedFlag", "Flag"] == list_type_names(indented)
    changed = replace_type_block(indented, "Flag", "enum Flag\n{\n}")
    assert "    enum Flag\n    {\n    }\n    // [SCHMITH:END Flag]\n" in changed
    assert changed == replace_type_block(changed, "Flag", extract_type_block(changed, "Flag") or "")


def test_a_file_without_a_last_line_end_stays_without():
    assert replace_type_block(FILE.rstrip("\n"), "Flag", "// g").endswith("// [SCHMITH:END Flag]")


@pytest.mark.parametrize("name", ["", " A", "A\n", "A]"])
def test_a_name_that_breaks_a_marker_is_refused(name: str):
    with pytest.raises(ValueError, match="cannot name a block"):
        wrap_type_block(name, "")


@pytest.mark.parametrize("code", ["// [SCHMITH:END A]", "class A { } // [schmith:begin B]", "/// [SCHMITH:BEGIN A]"])
def test_code_with_a_marker_is_refused(code: str):
    with pytest.raises(ValueError, match="contains a marker"):
        wrap_type_block("A", code)
    with pytest.raises(ValueError, match="contains a marker"):
        replace_type_block(FILE, "Flag", code)


def test_two_types_of_one_name_are_refused():
    with pytest.raises(ValueError, match="'A' occurs more than once"):
        assemble_cs([("A", ""), ("B", ""), ("A", "")])


def test_two_blocks_of_one_name_are_refused_where_one_is_meant():
    twice = FILE + wrap_type_block("Flag", "// again")
    with pytest.raises(ValueError, match="'Flag' has 2 blocks"):
        extract_type_block(twice, "Flag")
    assert "class Project\n{\n}" == extract_type_block(twice, "Project")


def test_blocks_inside_of_blocks_are_told_apart():
    inner = wrap_type_block("Inner", "enum Inner { }")
    nested = f"// [SCHMITH:BEGIN Outer]\nclass Outer\n{{\n{inner}\n}}\n// [SCHMITH:END Outer]\n"
    assert ["Outer", "Inner"] == list_type_names(nested)
    assert "enum Inner { }" == extract_type_block(nested, "Inner")
    assert "// [SCHMITH:BEGIN Inner]" in (extract_type_block(nested, "Outer") or "")


@pytest.mark.parametrize("torn", [FILE.replace("// [SCHMITH:END Flag]\n", ""), "// [SCHMITH:END Flag]\n"])
def test_an_unpaired_marker_is_reported(torn: str):
    with pytest.raises(ValueError, match="markers of type 'Flag' are not paired"):
        extract_type_block(torn, "Flag")
    assert "Flag" not in [block.unit for block in blocks("a.cs", torn)]


def test_the_pages_of_all_types_become_blocks():
    text = stitch_and_assemble([(unit, False, pages) for unit, pages in good_pages().items()])
    assert ["PetsDataObject", "Owner", "Mood", "Size"] == list_type_names(text)
    assert values()["PetsDataObject"].text == extract_type_block(text, "PetsDataObject")


def test_the_file_has_its_namespace_before_its_usings():
    text = compose(ENDPOINT, {unit: value.text for unit, value in values().items()})
    head = text.split("\n// [SCHMITH", 1)[0].split("\n")
    assert [
        "namespace Connector.App.v1.Pets;",
        "",
        "using Json.Schema.Generation;",
        "using System;",
        "using System.Collections.Generic;",
        "using System.Text.Json;",
        "using System.Text.Json.Serialization;",
        "using Xchange.Connector.SDK.CacheWriter;",
        "",
    ] == head
    assert "using System.Collections.Generic;" not in compose(ENDPOINT, {"Mood": values()["Mood"].text})


def test_the_files_are_named_after_the_root():
    files = assemble(ENDPOINT, values())
    assert ["PetsDataObject.cs", "schema.md"] == list(files)
    assert ["PetsDataObject", "Owner", "Mood", "Size"] == list_type_names(files["PetsDataObject.cs"])


def test_an_unreadable_type_keeps_its_raw_answer():
    broken = "class Owner {\n// [SCHMITH:END Owner]\noops"
    text = assemble(ENDPOINT, {**values(), "Owner": Unread(broken), "Mood": Unread("")})["PetsDataObject.cs"]
    assert "oops" in (extract_type_block(text, "Owner") or "")
    assert "// Mood has no answer yet." == extract_type_block(text, "Mood")


def test_the_blocks_of_a_file_are_the_texts_of_its_types():
    text = assemble(ENDPOINT, values())["PetsDataObject.cs"]
    found = {block.unit: text[block.start : block.end] for block in blocks("PetsDataObject.cs", text)}
    assert {unit: value.text for unit, value in values().items()} == found
    assert [] == list(blocks("schema.md", text))


def test_blocks_of_a_file_with_other_line_ends_leave_the_last_one_out():
    text = FILE.replace("\n", "\r\n")
    assert ["// f"] == [text[block.start : block.end] for block in blocks("a.cs", text) if block.unit == "Flag"]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text(alphabet="ab{}/[]:\n\t \\$", max_size=30), min_size=1, max_size=4), st.integers(0, 3))
def test_any_code_survives_the_way_through_a_file(codes: list[str], chosen: int):
    trimmed = [trim(code) for code in codes]
    text = assemble_cs([(f"T{index}", code) for index, code in enumerate(codes)])
    assert trimmed == [extract_type_block(text, f"T{index}") for index in range(len(codes))]
    name = f"T{chosen % len(codes)}"
    assert text == replace_type_block(text, name, extract_type_block(text, name) or "")


def trim(code: str) -> str:
    lines = code.split("\n")
    written = [index for index, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[written[0] : written[-1] + 1]) if written else ""
