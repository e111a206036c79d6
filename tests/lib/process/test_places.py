"""One persistent copy per workspace: builds stay warm, and no stale product is ever taken for a fresh one."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch._lib.process import running
from retouch._lib.process.places import Clock, held_place
from retouch._lib.process.results import IN_THIS_PROCESS
from retouch._lib.process.running import Machine
from retouch._lib.process.trees import scan
from tests.lib.process.machines import NO_NAMESPACES, ask_there
from tests.lib.process.scenes import Bench

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.process.places import WorkspaceCopy

MAKEFILE = "target/b.txt: a.txt\n\tmkdir -p target; echo built >> target/log; cp a.txt target/b.txt\n"
BUILD = "make -s; cat target/b.txt; grep -c built target/log"


@pytest.fixture
def built(tmp_path: Path) -> Bench:
    """A workspace whose product make builds if its source is newer."""
    return Bench(tmp_path, **{"a.txt": "old\n", "Makefile": MAKEFILE, ".gitignore": "target\n", "c.txt": "other\n"})


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["overlay", "bind"])
def test_a_build_stays_warm_and_is_never_stale(built: Bench, kind: str) -> None:
    running._MACHINES[str(built.workspace), False, False, False] = Machine(kind=kind, confined=True)  # pyright: ignore[reportArgumentType, reportPrivateUsage] - of two kinds
    outputs = [built.judge(BUILD, texts={"a.txt": f"{word}\n"}).output for word in ("one", "two", "six")]
    assert ["one\n2", "two\n3", "six\n4"] == outputs  # the first build is that of the workspace as it is
    IN_THIS_PROCESS.clear()  # as a later process
    assert "old\n5" == built.judge(f"{BUILD}; true", texts={}).output  # the old text again, and not what was built last
    unopened = built.judge(f"{BUILD};  true", texts={"c.txt": "changed\n"})
    assert "old\n1" == unopened.output  # it opened no changed file, so it ran again in a copy without products
    assert {"a.txt", "Makefile", ".gitignore", "c.txt"} == set(built.tree())


@pytest.mark.slow
def test_in_a_copy_elsewhere_a_build_stays_warm_too(open_place: Path) -> None:
    Bench(open_place, **{"a.txt": "old\n", "Makefile": MAKEFILE, ".gitignore": "target\n"})
    outputs = [ask_there(NO_NAMESPACES, open_place, BUILD, texts={"a.txt": text})["output"] for text in ("1\n", "2\n")]
    assert ["1\n2", "2\n4"] == outputs  # a process of its own judges the workspace anew, without a build


def test_a_change_by_the_user_is_built(built: Bench) -> None:
    assert "old\n1" == built.judge(BUILD, texts={}).output
    built.write({"a.txt": "mine\n"})
    assert "mine\n2" == built.judge(BUILD, texts={}).output


def test_an_older_file_that_the_user_puts_back_is_built(built: Bench) -> None:
    assert "old\n1" == built.judge(BUILD, texts={}).output
    built.write({"a.txt": "ancient\n"})
    os.utime(built.workspace / "a.txt", (1_000_000_000, 1_000_000_000))
    assert "ancient\n1" == built.judge(BUILD, texts={}).output  # from a copy that starts anew


@pytest.mark.slow
def test_what_a_command_wrote_over_a_source_is_gone_for_the_next(bench: Bench) -> None:
    assert "new\nworse" == bench.judge("cat a.txt; echo worse > a.txt; rm -f b.txt; cat a.txt").output
    assert "newer" == bench.judge("cat a.txt", texts={"a.txt": "newer\n"}).output
    bench.write({"dir/b.txt": "b\n"})
    assert "passed" == bench.judge("cat a.txt dir/b.txt; rm -r dir; mkdir dir").outcome
    assert "new\nb" == bench.judge("cat a.txt; cat dir/b.txt").output


def test_what_a_command_wrote_over_another_file_of_the_workspace_is_gone_for_the_next(bench: Bench) -> None:
    bench.write({"c.txt": "other\n"})
    assert "other" == bench.judge("cat c.txt; echo worse > c.txt", texts={"a.txt": "1\n"}).output
    assert "other" == bench.judge("cat c.txt; echo worse > c.txt", texts={"a.txt": "2\n"}).output


def test_a_file_that_one_answer_made_is_gone_for_the_next(bench: Bench) -> None:
    assert "made" == bench.judge("cat dir/made.txt", texts={"dir/made.txt": "made\n"}).output
    assert "failed" == bench.judge("cat dir/made.txt", texts={"a.txt": "new\n"}).outcome
    assert "failed" == bench.judge("cat left", texts={"a.txt": "newer\n"}).outcome


def test_what_a_command_left_that_is_no_product_is_gone_for_the_next(bench: Bench) -> None:
    seen = "ls; touch left; mkdir -p out; touch out/kept; cat a.txt"
    assert "a.txt\nout\n1" == bench.judge(seen, texts={"a.txt": "1\n"}).output
    assert "a.txt\nout\n2" == bench.judge(seen, texts={"a.txt": "2\n"}).output


def test_a_result_is_kept_while_nothing_changes(bench: Bench) -> None:
    command = "cat a.txt; date +%N"
    first = bench.judge(command)
    IN_THIS_PROCESS.clear()  # as a later process
    assert first.output == bench.judge(command).output
    assert first.output != bench.judge(f"{command} ").output


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["file", "ignored file", "mode", "link", "tool", "variable"])
def test_a_result_does_not_outlive_a_change(bench: Bench, changed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = bench.root / "tool"
    tool.write_text("#!/bin/sh\ndate +%N\n")
    tool.chmod(0o755)
    bench.write({".gitignore": "ignored\n", "ignored": "x"})
    (bench.workspace / "link").symlink_to("a.txt")
    first = bench.judge(f"cat a.txt; {tool}").output
    assert first == bench.judge(f"cat a.txt; {tool}").output
    if changed == "file":
        bench.write({"b.txt": "b\n"})
    elif changed == "ignored file":
        bench.write({"ignored": "longer"})
    elif changed == "mode":
        (bench.workspace / "a.txt").chmod(0o755)
    elif changed == "link":
        (bench.workspace / "link").unlink()
        (bench.workspace / "link").symlink_to(".gitignore")
    elif changed == "tool":
        tool.write_text("#!/bin/sh\ndate +%N # newer\n")
    else:
        monkeypatch.setenv("JAVA_HOME", "/elsewhere")
    assert first != bench.judge(f"cat a.txt; {tool}").output


@pytest.mark.slow
def test_a_failure_that_may_come_from_outside_is_not_kept_for_a_later_process(bench: Bench) -> None:
    cases: list[tuple[dict[str, Any], bool]] = [({}, True), ({"network": True}, False)]
    for options, same in cases:
        first = bench.judge("cat a.txt; date +%N; exit 1", **options).output
        IN_THIS_PROCESS.clear()  # as a later process
        assert same == (first == bench.judge("cat a.txt; date +%N; exit 1", **options).output)


def test_files_that_are_excluded_make_no_difference(bench: Bench) -> None:
    first = bench.judge("cat a.txt; date +%N", exclude=("data/",)).output
    bench.write({"data/large.bin": "x"})
    assert first == bench.judge("cat a.txt; date +%N", exclude=("data/",)).output


def test_two_processes_do_not_share_a_copy(bench: Bench) -> None:
    with held_place(bench.workspace, bench.root / "cache") as mine:
        with held_place(bench.workspace, bench.root / "cache") as other:
            assert mine.root != other.root
            assert other.root.is_dir()
        assert not other.root.exists()
    with held_place(bench.workspace, bench.root / "cache") as again:
        assert mine.root == again.root


def test_a_cache_inside_the_workspace_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "project" / ".cache"))
    with held_place(tmp_path / "project") as place:
        assert not place.root.is_relative_to(tmp_path)


def test_a_broken_state_starts_anew(bench: Bench) -> None:
    assert "new" == bench.judge("cat a.txt").output
    (state,) = (bench.root / "cache").glob("*/state.json")
    state.write_text("{")
    assert "newer" == bench.judge("cat a.txt", texts={"a.txt": "newer\n"}).output


class Later(Clock):
    """A clock that need not be waited for."""

    ahead_ns = 0

    def now_ns(self) -> int:
        return super().now_ns() + self.ahead_ns

    def wait(self, seconds: float) -> None:
        self.ahead_ns += int(seconds * 1_000_000_000)


NAMES = st.sampled_from(["a", "b", "d/a", "d/b", "target/x"])
CHANGES = st.dictionaries(NAMES, st.sampled_from([b"1", b"2", b"333"]), max_size=3)
STEPS = st.lists(st.tuples(st.sampled_from(["answer", "user", "command"]), CHANGES), max_size=8)


def write(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_a_copy_always_holds_the_workspace_and_the_answer(steps: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("copy")
    workspace = root / "project"
    write(root, {"project/a": b"0"})
    with held_place(workspace, root / "cache", clock=Later()) as place:
        for kind, changes in steps:
            if kind == "user":
                write(workspace, changes)
            elif kind == "command":
                write(place.copy, changes)
            copied(place, workspace, changes if kind == "answer" else {})


def copied(place: WorkspaceCopy, workspace: Path, changes: dict[str, bytes]) -> None:
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in place.copy.rglob("*") if path.is_file()}
    tree = scan(workspace, known=place.known)
    place.prepare("copy", tree, changes)
    expected = {name: (workspace / name).read_bytes() for name in tree.files} | changes
    held = {path: path.read_bytes() for path in place.copy.rglob("*") if path.is_file()}
    names = {path.relative_to(place.copy).as_posix(): data for path, data in held.items()}
    assert expected == {
        name: data for name, data in names.items() if name in expected or not name.startswith("target/")
    }
    for path, data in held.items():
        if path in before and before[path][1] != data:
            assert path.stat().st_mtime_ns != before[path][0]


def test_a_later_content_never_has_an_earlier_time(bench: Bench) -> None:
    with held_place(bench.workspace, bench.root / "cache", clock=Later()) as place:
        tree = scan(bench.workspace)
        times: list[int] = []
        for text in (b"1", b"2", b"1", b"3"):
            place.prepare("overlay", tree, {"a.txt": text})
            times.append(int((place.upper / "a.txt").stat().st_mtime))
    assert times[0] > int((bench.workspace / "a.txt").stat().st_mtime)
    assert sorted(set(times)) == times  # Python compares the times of its compiled files by the second


def test_judging_in_two_tasks_at_once_gives_each_its_own_answer(bench: Bench) -> None:
    from retouch._lib.process.judging import judge

    async def both() -> list[str]:
        question = bench.question("cat a.txt; sleep 0.3; cat a.txt")
        found = await asyncio.gather(*(judge(question, {"a.txt": f"{word}\n"}) for word in ("one", "two")))
        return [verdicts[0].output for verdicts in found]

    assert ["one\none", "two\ntwo"] == asyncio.run(both())
