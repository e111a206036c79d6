"""The index: what it finds, and that it is never older than the files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retouch.locate import SpanIndex, open_index, refresh_index
from retouch.locate.indexing.words import terms
from retouch.locate.languages.scala import by_braces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.locate import Span

OLD_NS = 1_600_000_000_000_000_000
FILES = {
    "core/Alu.scala": "class Alu {\n  val carry = 1\n}\nobject Alu {\n  class Ops { val add = 2 }\n}\n",
    "core/Rob.scala": "class Rob extends Alu {\n  val robIdx = 1\n}\n",
    "lib/Alu.scala": "trait Alu { val other = 3 }\n",
    "src/test/RobTest.scala": "class RobTest\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, text in FILES.items():
        write(root / name, text)
    return root


def write(path: Path, text: str, *, when_ns: int = OLD_NS) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, ns=(when_ns, when_ns))


def built(tree: Path, *, tests: bool = False) -> SpanIndex:
    index = SpanIndex(tree)
    index.build(tests=tests)
    return index


def ids(spans: Sequence[Span]) -> list[str]:
    return [span.span_id for span in spans]


def same(one: SpanIndex, other: SpanIndex) -> bool:
    query = {term: 1.0 for word in ("robIdx", "carry", "add", "Alu", "fresh") for term in terms(word)}
    weights = dict.fromkeys(one.fields, 1.0)
    ranks = [index.ranked(query, weights=weights) for index in (one, other)]
    return one.cache == other.cache and ranks[0] == ranks[1]


def test_all_definitions_are_told_by_file_and_line_and_tests_come_last(tree: Path):
    expected = [
        "core/Alu.scala::Alu#class",
        "core/Alu.scala::Alu#object",
        "core/Alu.scala::Alu.Ops#class",
        "core/Rob.scala::Rob#class",
        "lib/Alu.scala::Alu#trait",
    ]
    assert expected == ids(built(tree).get_all_modules())
    assert [*expected, "src/test/RobTest.scala::RobTest#class"] == ids(built(tree, tests=True).get_all_modules())


def test_the_smallest_definition_around_a_line_is_found(tree: Path):
    index = built(tree)
    found = [index.get_enclosing_module("core/Alu.scala", line) for line in (2, 4, 5, 7)]
    assert ["Alu#class", "Alu#object", "Alu.Ops#class", None] == [
        span and span.span_id.partition("::")[2] for span in found
    ]
    assert index.get_enclosing_module(f"{tree}/core/Alu.scala", 2) == found[0]
    assert index.get_enclosing_module("gone.scala", 1) is None


def test_of_two_equally_small_definitions_the_later_one_is_around_a_line(tree: Path):
    write(tree / "core/Alu.scala", "class A { val x = 1 }; class B { val y = 2 }\n")
    found = built(tree).get_enclosing_module("core/Alu.scala", 1)
    assert found is not None
    assert "B" == found.name


def test_spans_are_found_by_name_and_companions_by_their_module(tree: Path):
    index = built(tree)
    assert ["core/Alu.scala::Alu#class", "core/Alu.scala::Alu#object", "lib/Alu.scala::Alu#trait"] == ids(
        index.named_like("ALU")
    )
    assert [] == index.named("ALU")
    assert ["core/Alu.scala::Alu#class", "core/Alu.scala::Alu#object"] == ids(index.members("core/Alu.scala::Alu"))


def test_an_index_of_some_files_holds_exactly_these(tree: Path):
    index = built(tree)
    done = index.build(["lib/Alu.scala", f"{tree}/core/Rob.scala"])
    assert (["core/Rob.scala", "lib/Alu.scala"], []) == (index.files(), list(done.parsed))
    assert ["core/Alu.scala"] == list(done.deleted)


def test_words_rank_the_spans_and_say_which_ones_matched(tree: Path):
    index = built(tree)
    ranked = index.ranked({"rob": 1.0, "carry": 0.1})
    assert ["core/Rob.scala::Rob#class", "core/Alu.scala::Alu#class"] == ids([span for span, _ in ranked])
    assert ranked[:1] == index.ranked({"rob": 1.0, "carry": 0.1}, [ranked[0][0]])
    matched = index.matched({"rob": 1.0, "idx": 1.0, "carry": 1.0}, ranked[0][0])
    assert {"rob", "idx"} == set(matched)
    assert [] == index.ranked({"unknown": 1.0})


def test_words_of_an_inner_definition_are_code_of_the_outer_one_too_but_not_its_own(tree: Path):
    index = built(tree)
    assert {"Alu", "Alu.Ops"} == {span.qualified for span, _ in index.ranked({"add": 1.0})}
    assert ["Alu.Ops"] == [span.qualified for span, _ in index.ranked({"add": 1.0}, weights={"own": 1.0})]
    assert ["Alu.Ops"] == [span.qualified for span, _ in index.ranked({"add": 1.0}, weights={"defines": 1.0})]


def test_the_text_of_a_span_is_read_from_the_file(tree: Path):
    index = built(tree)
    assert "class Rob extends Alu {\n  val robIdx = 1\n}" == index.text(index.named("Rob")[0])
    write(tree / "core/Rob.scala", "\nclass Rob\n")
    index.build()
    assert (2, "class Rob") == (index.named("Rob")[0].start_line, index.text(index.named("Rob")[0]))


def changes() -> dict[str, tuple[Callable[[Path], object], list[str], list[str]]]:
    """What happens to a tree; the files that are parsed again; those that are gone."""

    def change(tree: Path) -> None:
        write(tree / "core/Rob.scala", "class Rob { val fresh = 12 }\n")

    def add(tree: Path) -> None:
        write(tree / "new/B.scala", "class B { val fresh = 1 }\n")

    def remove(tree: Path) -> None:
        (tree / "core/Alu.scala").unlink()

    def move(tree: Path) -> None:
        (tree / "core/Alu.scala").rename(tree / "A.scala")

    def touch(tree: Path) -> None:
        os.utime(tree / "core/Alu.scala")

    return {
        "nothing": (Path.exists, [], []),
        "changed": (change, ["core/Rob.scala"], []),
        "new": (add, ["new/B.scala"], []),
        "deleted": (remove, [], ["core/Alu.scala"]),
        "moved": (move, ["A.scala"], ["core/Alu.scala"]),
        "touched": (touch, [], []),
    }


@pytest.mark.parametrize("what", changes())
def test_only_what_changed_is_parsed_again_and_the_result_is_that_of_a_new_index(tree: Path, tmp_path: Path, what: str):
    change, parsed, deleted = changes()[what]
    kept = tmp_path / "kept.json"
    built(tree).save(kept)
    change(tree)
    index = SpanIndex.load(kept, tree)
    done = index.build()
    assert (parsed, deleted) == (list(done.parsed), list(done.deleted))
    assert same(built(tree), index)
    index.save(kept)
    assert same(built(tree), SpanIndex.load(kept, tree))


def test_a_file_of_the_same_size_and_time_is_read_again_while_the_clock_could_not_tell(tree: Path, tmp_path: Path):
    path, kept = tree / "core/Rob.scala", tmp_path / "kept.json"
    now_ns = path.stat().st_ctime_ns
    write(path, "class Rob { val aa = 1 }\n", when_ns=now_ns)
    built(tree).save(kept)
    write(path, "class Rob { val bb = 1 }\n", when_ns=now_ns)
    index = SpanIndex.load(kept, tree)
    assert ["core/Rob.scala"] == list(index.build().parsed)
    assert "bb" in index.words


def test_a_file_that_is_known_is_not_even_read(tree: Path, tmp_path: Path):
    built(tree).save(tmp_path / "kept.json")
    index = SpanIndex.load(tmp_path / "kept.json", tree)
    assert (0, False) == ((done := index.build()).read, done.worth_saving)


def test_what_is_invalid_is_parsed_again(tree: Path):
    index = built(tree)
    index.invalidate(["lib/Alu.scala"])
    assert "lib/Alu.scala" not in index.files()
    assert ["lib/Alu.scala"] == list(index.build().parsed)
    index.invalidate()
    assert [] == index.get_all_modules()
    assert 3 == len(index.build().parsed)
    assert same(built(tree), index)


def test_one_hears_of_each_file_before_it_is_read(tree: Path):
    heard: list[tuple[int, int, str]] = []
    SpanIndex(tree).build(on_file=lambda done, total, file: heard.append((done, total, file)))
    assert [(0, 3, "core/Alu.scala"), (1, 3, "core/Rob.scala"), (2, 3, "lib/Alu.scala")] == heard


def test_files_that_cannot_be_read_whole_are_told(tree: Path):
    write(tree / "lib/Alu.scala", "class Alu {\n  val x = )\n}\n")
    assert ["lib/Alu.scala"] == list(built(tree).parse_errors)


def test_without_the_grammar_the_braces_are_read_and_it_is_said(tree: Path):
    index = SpanIndex(tree, front=by_braces())
    index.build()
    assert ids(built(tree).get_all_modules()) == ids(index.get_all_modules())
    assert any("pip install 'retouch[chisel]'" in note for note in index.notes)


def damages() -> dict[str, Callable[[bytes], bytes]]:
    def without(data: bytes, key: str) -> bytes:
        head, body = data.splitlines()
        return json.dumps({**json.loads(head), key: None}).encode() + b"\n" + body + b"\n"

    return {
        "empty": lambda _: b"",
        "cut": lambda data: data[: len(data) // 2],
        "cut in its first line": lambda data: data[:20],
        "one letter changed": lambda data: data.replace(b"robidx", b"robidy"),
        "no JSON": lambda _: b"\x80\x04pickle\n",
        "JSON of another kind": lambda _: b"[1]\n[2]\n",
        "another schema": lambda data: without(data, "schema"),
        "no checksum": lambda data: without(data, "sha256"),
        "another format": lambda data: without(data, "format"),
    }


@pytest.mark.parametrize("damage", damages())
def test_a_damaged_cache_is_left_aside_with_a_note_and_made_anew(tree: Path, tmp_path: Path, damage: str):
    kept = tmp_path / "kept.json"
    open_index(tree, cache=kept)
    kept.write_bytes(damages()[damage](kept.read_bytes()))
    index, done, _ = refresh_index(tree, cache=kept)
    assert 3 == len(done.parsed)
    assert [True] == [str(kept) in note for note in index.notes]
    assert same(built(tree), index)
    assert [] == list(refresh_index(tree, cache=kept)[1].parsed)


def test_the_cache_of_another_folder_or_front_is_not_used(tree: Path, tmp_path: Path):
    kept = tmp_path / "kept.json"
    open_index(tree, cache=kept)
    (tmp_path / "other").mkdir()
    assert [] == SpanIndex.load(kept, tmp_path / "other").get_all_modules()
    assert [] == SpanIndex.load(kept, tree, front=by_braces()).get_all_modules()


def test_an_index_is_written_whole_or_not_at_all(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    kept = tmp_path / "kept" / "index.json"
    open_index(tree, cache=kept)
    before = kept.read_bytes()

    def full(_number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    write(tree / "new/B.scala", "class B\n")
    index = open_index(tree, cache=kept)
    assert ["index.json"] == [path.name for path in kept.parent.iterdir()]
    assert before == kept.read_bytes()
    assert 1 == len(index.named("B"))
    assert any("No space left on device" in note for note in index.notes)


def test_a_cache_that_cannot_be_read_or_written_does_not_stop_anything(tree: Path, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    index = open_index(tree, cache=tmp_path / "folder")
    assert 5 == len(index.get_all_modules())
    assert 2 == len(index.notes)


def test_the_cache_can_be_read_by_a_person(tree: Path, tmp_path: Path):
    built(tree).save(tmp_path / "kept.json")
    body = json.loads((tmp_path / "kept.json").read_text().splitlines()[1])
    assert "Rob" == body["files"]["core/Rob.scala"]["spans"][0][0]
    assert str(tree) == body["root"]


def test_each_folder_and_language_has_its_own_place_in_the_users_cache(tree: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tree.parent / "home"))
    monkeypatch.setenv("HOME", str(tree.parent / "home"))
    _, first, place = refresh_index(tree)
    _, again, same_place = refresh_index(f"{tree}/")
    assert (3, 0, place) == (len(first.parsed), len(again.parsed), same_place)
    assert (tree.parent / "home") in place.parents
    assert place != refresh_index(tree / "core")[2]
