"""What a command can reach: the new code at the project's own path, and nothing that it need not reach."""

from __future__ import annotations

import shutil
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from retouch._lib.process import running
from retouch._lib.process.running import Machine
from tests.lib.process.machines import NO_NAMESPACES, as_nobody, ask_there
from tests.lib.process.scenes import PYTHON, Bench

if TYPE_CHECKING:
    from collections.abc import Generator

KINDS = [
    "overlay",
    "bind",
    pytest.param(
        "bubblewrap",
        marks=pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap (apt install bubblewrap)"),
    ),
]
SECRETS = {".ssh/id_ed25519": "", ".aws/credentials": "", ".netrc": "", ".config/gcloud/x": "", ".npmrc": ""}


@pytest.fixture
def home(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with keys in it, and a file that is none."""
    place = bench.root / "home"
    for name in (*SECRETS, ".profile"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("canary\n")
    monkeypatch.setenv("HOME", str(place))
    return place


def forced(bench: Bench, kind: str) -> None:
    """Make commands of the workspace run in one of the ways that this machine allows."""
    running._MACHINES[str(bench.workspace), False, False, False] = Machine(kind=kind, confined=True)  # pyright: ignore[reportArgumentType, reportPrivateUsage] - of KINDS


@pytest.fixture
def listening() -> Generator[int]:
    """A server of this machine; its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_new_code_is_at_the_projects_own_path_and_the_old_stays(bench: Bench, kind: str) -> None:
    forced(bench, kind)
    verdict = bench.judge(f"cat {bench.workspace}/a.txt; pwd; echo made > b.txt; echo worse > a.txt")
    assert ("passed", "same path", True) == (verdict.outcome, verdict.where, verdict.confined)
    assert f"new\n{bench.workspace}" == verdict.output
    assert {"a.txt": "old\n"} == bench.tree()
    assert True is verdict.saw_change


@pytest.mark.parametrize("kind", KINDS)
def test_keys_are_hidden_and_other_files_of_the_home_are_not(bench: Bench, home: Path, kind: str) -> None:
    forced(bench, kind)
    verdict = bench.judge("cat a.txt ~/.profile; cat " + " ".join(f"~/{name}" for name in SECRETS) + "; true")
    assert "passed" == verdict.outcome
    assert 1 == verdict.output.count("canary")
    assert "canary\n" == (home / ".netrc").read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_a_service_of_this_machine_is_out_of_reach(bench: Bench, listening: int, kind: str) -> None:
    forced(bench, kind)
    connect = f"{PYTHON} -c \"import socket; socket.create_connection(('127.0.0.1', {listening}), 3)\""
    verdict = bench.judge(f"cat a.txt; ! {connect} && echo refused")
    assert ("passed", True) == (verdict.outcome, "refused" in verdict.output), verdict


def test_a_loopback_of_its_own_works(bench: Bench) -> None:
    code = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"
    assert "passed" == bench.judge(f'{PYTHON} -c "{code}"').outcome


@pytest.mark.parametrize("option", ["network", "unconfined"])
def test_the_network_is_given_back_by_an_option(bench: Bench, listening: int, option: str) -> None:
    connect = f"{PYTHON} -c \"import socket; socket.create_connection(('127.0.0.1', {listening}), 3)\""
    options: dict[str, Any] = {option: True}
    verdict = bench.judge(f"cat a.txt; {connect}", **options)
    assert ("passed", "same path", option == "network") == (verdict.outcome, verdict.where, verdict.confined)


def test_a_baseline_that_fails_only_when_confined_names_the_options(bench: Bench, listening: int) -> None:
    connect = f"{PYTHON} -c \"import socket; socket.create_connection(('127.0.0.1', {listening}), 3)\""
    verdict = bench.judge(connect)
    assert ("inconclusive", True) == (verdict.outcome, verdict.why.endswith("but only when it is confined"))
    assert "--check-network" in verdict.next
    assert "--check-unconfined" in verdict.next
    assert bench.preflight(connect) is not None


def test_what_is_written_outside_is_thrown_away(bench: Bench, home: Path) -> None:
    outside = bench.root / "outside.txt"
    command = f"cat a.txt; echo x > ~/made && cat ~/made; echo x > {outside}; echo x > /tmp/zz-retouch && echo temp"
    verdict = bench.judge(command)
    assert ("passed", "new\nx\ntemp") == (verdict.outcome, verdict.output)
    assert [] == [place for place in (home / "made", outside, Path("/tmp/zz-retouch")) if place.exists()]


def test_the_rest_of_the_machine_is_read_only(bench: Bench) -> None:
    place = Path(sys.prefix) / "retouch-made-this"
    verdict = bench.judge(f"cat a.txt; touch /usr/made || touch /etc/made || echo {place} && echo refused")
    assert "refused" in verdict.output
    assert not Path("/usr/made").exists()


def test_mounts_cannot_be_taken_away_by_the_command(bench: Bench) -> None:
    verdict = bench.judge('cat a.txt; umount "$PWD" 2>/dev/null || umount -l / 2>/dev/null || cat a.txt')
    assert "new\nnew" == verdict.output


@pytest.mark.slow
def test_secrets_of_the_environment_are_left_out(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "MY_TOKEN", "MY_TOOL"):
        monkeypatch.setenv(name, f"value-of-{name}")
    shown = 'cat a.txt; echo "$OPENAI_API_KEY|$MY_TOKEN|$MY_TOOL"'
    assert "new\n||value-of-MY_TOOL" == bench.judge(shown).output
    assert "new\n|[redacted:MY_TOKEN]|value-of-MY_TOOL" == bench.judge(shown, env=("MY_TOKEN",)).output
    assert "[redacted:OPENAI_API_KEY]" in bench.judge(shown, unconfined=True).output


@pytest.mark.parametrize("name", ["given", "given in place"])
def test_texts_are_given_in_files_that_variables_name(bench: Bench, name: str) -> None:
    assert (
        "wanted" == bench.judge('cat a.txt > /dev/null; cat "$RETOUCH_DIFF"', given={"RETOUCH_DIFF": "wanted\n"}).output
    ), name


def test_an_ordinary_user_gets_the_same(open_place: Path) -> None:
    Bench(open_place)
    (open_place / "home" / ".ssh").mkdir(parents=True)
    (open_place / "home" / ".ssh" / "id").write_text("canary\n")
    command = "cat a.txt; cat ~/.ssh/id; echo x > ~/made && ls ~/made >/dev/null && ! touch /etc/made 2>/dev/null"
    verdict = ask_there(as_nobody(), open_place, command)
    assert ("passed", "same path", True) == (verdict["outcome"], verdict["where"], verdict["confined"]), verdict
    assert verdict["output"].startswith("new\n")
    assert "canary" not in verdict["output"]
    assert not (open_place / "home" / "made").exists()
    assert "old\n" == (open_place / "project" / "a.txt").read_text()


@pytest.mark.slow
def test_an_ordinary_user_finds_the_products_of_the_last_command(open_place: Path) -> None:
    Bench(open_place)
    command = "cat a.txt; ls target 2>/dev/null; mkdir -p target; touch target/warm"
    outputs = [ask_there(as_nobody(), open_place, command, texts={"a.txt": text})["output"] for text in ("1\n", "2\n")]
    assert ["1\nwarm", "2\nwarm"] == outputs


@pytest.mark.parametrize("user", ["this", "nobody"])
def test_without_namespaces_a_copy_is_used_and_said(open_place: Path, user: str) -> None:
    Bench(open_place)
    machine = (*(as_nobody() if user == "nobody" else ()), *NO_NAMESPACES)
    verdict = ask_there(machine, open_place, "cat a.txt; pwd | grep -c project$; true")
    assert ("passed", "copy", False, True) == (
        verdict["outcome"],
        verdict["where"],
        verdict["confined"],
        verdict["saw_change"],
    ), verdict
    assert "new\n0" == verdict["output"]
    assert "old\n" == (open_place / "project" / "a.txt").read_text()
