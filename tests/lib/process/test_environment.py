"""The environment of a command, and what of it makes a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch._lib.process.environment import environment_key, for_command, pointing_into, without_secrets

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_API_KEY", "x"),
        ("anthropic_api_key", "x"),
        ("GITHUB_TOKEN", "x"),
        ("DB_PASSWORD", "x"),
        ("CLIENT_SECRET", "x"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/x.json"),
        ("SSH_AUTH_SOCK", "/run/x"),
        ("SETTINGS", "mode=1 token=ghp_0123456789abcdefghij0123"),
        ("HTTPS_PROXY", "http://user:word@proxy:3128"),
        ("CONFIG", "-----BEGIN RSA PRIVATE KEY-----"),
        ("OTHER", "sk-" + "a1" * 10),
    ],
)
def test_secrets_are_left_out_unless_they_are_named(name: str, value: str) -> None:
    assert {} == without_secrets({name: value})
    assert {name: value} == without_secrets({name: value}, given_back=(name,))


@pytest.mark.parametrize("name", ["PATH", "HOME", "JAVA_HOME", "LANG", "PYTHONPATH", "CC", "HTTPS_PROXY"])
def test_other_variables_stay(name: str) -> None:
    assert {name: "http://proxy:3128"} == without_secrets({name: "http://proxy:3128"})


def test_a_confined_command_uses_the_private_directory_for_temporary_files() -> None:
    given = {"TMPDIR": "/var/folders/x", "XDG_RUNTIME_DIR": "/run/user/1"}
    assert {"TMPDIR": "/tmp", "PYTHONUNBUFFERED": "1"} == for_command(given, confined=True)
    assert {**given, "PYTHONUNBUFFERED": "1"} == for_command(given, confined=False)


def test_paths_into_the_workspace_lead_into_the_copy(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "pyproject.toml").touch()
    given = {"PATH": "/usr/bin:/w/bin:/w2/bin", "VIRTUAL_ENV": "/w", "PYTHONPATH": "/w/lib", "NOTE": "see /w"}
    moved = pointing_into(given, "/w", str(tmp_path))
    assert f"/usr/bin:{tmp_path}/bin:/w2/bin" == moved["PATH"]
    assert (str(tmp_path), "see /w") == (moved["VIRTUAL_ENV"], moved["NOTE"])
    assert f"{tmp_path}/src:{tmp_path}:{tmp_path}/lib" == moved["PYTHONPATH"]


def test_where_a_terminal_stands_makes_no_difference_and_a_tool_does() -> None:
    given = {"PATH": "/bin", "COLUMNS": "80"}
    assert environment_key(given) == environment_key({**given, "COLUMNS": "100"})
    assert environment_key(given) != environment_key({**given, "JAVA_HOME": "/jdk"})
