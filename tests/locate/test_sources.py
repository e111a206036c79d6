"""Files on this machine and in a container, which a stand-in for `docker` plays with a folder."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from retouch.locate import LocateError, SpanIndex, open_source
from retouch.locate.sources.docker import DockerFiles

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.locate import FileSource

STAND_IN = """\
#!/bin/sh
echo "$@" >> "$BOX/calls"
[ "$1 $2 $3" = "exec -i -w" ] || { echo "unknown command" >&2; exit 125; }
[ "$5" = box ] || { echo "Error response from daemon: No such container: $5" >&2; exit 1; }
cd "$BOX$4" || { echo "no such folder" >&2; exit 127; }
shift 5
exec "$@"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with sources, tests, and what a build leaves."""
    root = tmp_path / "box" / "code"
    texts = {
        "src/main/Top.scala": "class Top {\n  val x = 1\n}\n",
        "src/main/Two words.scala": "object Two\n",
        "src/test/TopTest.scala": "class TopTest\n",
        "target/Made.scala": "class Made\n",
        "sub/out/Made.scala": "class Made\n",
        "outer/Kept.scala": "class Kept\n",
        "notes.txt": "class No\n",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def docker(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The log of a stand-in for docker that knows one container, `box`, whose root is a folder."""
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("BOX", str(tree.parent))
    return tree.parent / "calls"


@pytest.fixture(params=["local", "docker"])
def source(request: pytest.FixtureRequest, tree: Path, docker: Path) -> FileSource:  # noqa: ARG001 - the stand-in
    return open_source(tree) if request.param == "local" else open_source("docker:box:/code")


def test_files_are_listed_by_name_without_the_folders_to_skip(source: FileSource):
    expected = ["outer/Kept.scala", "src/main/Top.scala", "src/main/Two words.scala"]
    assert expected == source.list("*.scala", ["target", "out", "src/test"])
    assert 6 == len(source.list("*.scala"))


def test_a_pattern_with_a_slash_is_compared_with_the_whole_path(source: FileSource):
    assert ["src/main/Top.scala", "src/test/TopTest.scala"] == source.list("src/*/Top*.scala")


def test_a_file_is_read_and_its_size_is_told(source: FileSource):
    assert b"object Two\n" == source.read("src/main/Two words.scala")
    size, mtime_ns = source.stat("src/main/Top.scala") or (0, 0)
    assert (26, True) == (size, mtime_ns > 1_600_000_000_000_000_000)


def test_many_files_are_read_in_order_without_those_that_are_gone(source: FileSource):
    refs = ["notes.txt", "gone.scala", "src/main/Two words.scala"]
    assert [("notes.txt", b"class No\n"), (refs[2], b"object Two\n")] == list(source.read_all(refs))
    assert {"notes.txt", refs[2]} == set(source.stat_all(refs))


def test_a_file_that_is_gone_has_no_state_and_cannot_be_read(source: FileSource):
    assert source.stat("gone.scala") is None
    with pytest.raises(LocateError, match=r"'gone\.scala' cannot be read"):
        source.read("gone.scala")


@pytest.mark.parametrize("ref", ["/etc/passwd", "../secret", "src/../../secret", ""])
def test_nothing_outside_the_folder_is_read(source: FileSource, ref: str):
    with pytest.raises(LocateError, match="not below the source directory"):
        source.read(ref)


def test_the_commit_is_told_where_there_is_one(source: FileSource, tree: Path):
    assert source.commit() is None
    git = ["git", "-C", str(tree), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    assert 40 == len(source.commit() or "")


def test_a_tree_in_a_container_is_indexed_with_few_calls(docker: Path):
    index = SpanIndex("docker:box:/code")
    index.build()
    assert ["Kept", "Top", "Two"] == [span.name for span in index.get_all_modules()]
    assert 4 == len(docker.read_text().splitlines())  # list, state, read, commit
    top = index.get_enclosing_module("docker:box:/code/src/main/Top.scala", 2)
    assert top is not None
    assert "src/main/Top.scala::Top" == top.module_id


def test_a_name_of_two_lines_does_not_mix_up_the_others(docker: Path, tree: Path):  # noqa: ARG001 - the stand-in
    (tree / "a\nb.scala").write_text("class No\n")
    source = open_source("docker:box:/code")
    assert ["outer/Kept.scala"] == source.list("*.scala", ["sub", "src", "target"])


def test_a_container_that_is_not_there_is_named(docker: Path):  # noqa: ARG001 - the stand-in
    with pytest.raises(LocateError, match="No such container: other") as refused:
        open_source("docker:other:/code").list("*.scala")
    assert "docker ps" in refused.value.hint


def test_docker_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LocateError, match="needs the program 'docker'"):
        DockerFiles("box", "/code").read("a.scala")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(LocateError, match="There is no directory"):
        open_source(tmp_path / "gone")
