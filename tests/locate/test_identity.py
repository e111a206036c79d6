"""References to files and definitions."""

from __future__ import annotations

import pytest

from retouch.locate import FileRef, LocateError, Span, split_module_id


def span(file: str, qualified: str, kind: str = "class") -> Span:
    name = qualified.rpartition(".")[2]
    return Span(file=file, name=name, qualified=qualified, kind=kind, start_line=1, end_line=2, name_line=1)  # pyright: ignore[reportArgumentType]


def test_a_path_is_a_file_on_this_machine():
    assert FileRef(path="/a/b.scala") == FileRef.parse("/a/b.scala")
    assert FileRef(path="C:x:y") == FileRef.parse("C:x:y")
    assert FileRef(path="./docker:x") == FileRef.parse("./docker:x")


def test_only_the_first_two_colons_of_a_container_reference_separate():
    ref = FileRef.parse("docker:box-1:/code/a:b::c.scala")
    assert FileRef(container="box-1", path="/code/a:b::c.scala") == ref
    assert "docker:box-1:/code/a:b::c.scala" == str(ref)


@pytest.mark.parametrize(
    "text", ["", "docker:", "docker::/a", "docker:box", "docker:box:", "docker:box:a", "docker:-v:/a"]
)
def test_a_reference_without_a_container_or_an_absolute_path_is_refused(text: str):
    with pytest.raises(LocateError) as refused:
        FileRef.parse(text)
    assert "docker:<container>:<absolute path>" in refused.value.hint


def test_a_module_id_is_split_at_its_last_colons_because_a_path_may_hold_some():
    assert ("a::b/C.scala", "Outer.Inner") == split_module_id("a::b/C.scala::Outer.Inner")


@pytest.mark.parametrize("text", ["", "C.scala", "::C", "C.scala::"])
def test_what_is_no_module_id_is_refused(text: str):
    with pytest.raises(LocateError):
        split_module_id(text)


def test_companions_share_a_module_id_and_differ_in_their_span_ids():
    cls, obj = span("a.scala", "Outer.Inner"), span("a.scala", "Outer.Inner", "object")
    assert "a.scala::Outer.Inner" == cls.module_id == obj.module_id
    assert ["a.scala::Outer.Inner#class", "a.scala::Outer.Inner#object"] == [cls.span_id, obj.span_id]
