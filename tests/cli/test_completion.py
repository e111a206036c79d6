"""Shell completion, as a shell asks for it: in a process of its own, by click's protocol."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.installed import recipes_of_others

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import RetouchProcess


@pytest.fixture
def complete(retouch_process: RetouchProcess) -> Callable[..., list[str]]:
    """Return what bash is offered behind the words given, the last of which is incomplete."""

    def offered(*words: str) -> list[str]:
        line = " ".join(["retouch", *(word.replace(" ", "\\ ") for word in words)])
        asked = {"_RETOUCH_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
        done = retouch_process(**asked)
        assert (0, "") == (done.returncode, done.stderr)
        return [line for line in done.stdout.splitlines() if line]

    return offered


def plain(*values: str) -> list[str]:
    return [f"plain,{value}" for value in values]


def test_commands_and_groups_are_offered_and_hidden_aliases_are_not(complete: Callable[..., list[str]]) -> None:
    assert set(plain("recipes", "regenerate", "report", "resume", "rule")) == set(complete("r")) - set(
        plain(*recipes_of_others())
    )
    assert [] == complete("wiz")
    assert plain("compiler") == complete("csharp", "comp")
    assert plain("csharp") == complete("generate", "cs")


def test_the_units_of_the_run_are_offered_for_a_type(complete: Callable[..., list[str]], pets: Path) -> None:
    run = str(pets.relative_to(pets.parents[1]))
    units = complete("regenerate", run, "--type", "")
    assert 3 == len(units)
    assert plain("Kind") == complete("regenerate", run, "--type", "K") == complete("adopt", run, "--type", "K")


def test_run_directories_are_offered_for_a_run(complete: Callable[..., list[str]], pets: Path) -> None:
    assert pets.is_dir()
    assert plain("output/GET_pets") == complete("show", "") == complete("show", "out") == complete("show", "output/G")
    assert ["dir,other"] == complete("show", "other")


def test_the_endpoints_of_the_document_are_offered(complete: Callable[..., list[str]], spec: str) -> None:
    found = complete("generate", "csharp", spec, "")
    assert "plain,GET /pets" in found
    assert "plain,/pets" in complete("generate", "csharp", spec, "GET", "/pe")
    assert [] == complete("generate", "csharp", "not-there.yaml", "")


@pytest.mark.slow
def test_models_are_offered_by_scheme_and_those_of_the_run_too(complete: Callable[..., list[str]], pets: Path) -> None:
    assert "plain,offline" in complete("generate", "csharp", "--model", "")
    assert plain("anthropic:") == complete("generate", "csharp", "--model", "anth")
    run = str(pets.relative_to(pets.parents[1]))
    assert plain("offline", "anthropic:") == complete("regenerate", run, "--model", "")[:2]
    assert "plain,anthropic:" == complete("generate", "csharp", "--model", "")[0]


def test_the_models_of_a_provider_are_offered_where_the_price_list_is_there(
    complete: Callable[..., list[str]],
) -> None:
    pytest.importorskip("genai_prices", reason="the price list comes with the extra llm")
    # bash takes a word apart at its colons; the shells that do not send all of it
    found = complete("generate", "csharp", "--model", "anthropic:claude-h")
    assert found
    assert all(one.startswith("plain,anthropic:claude-h") for one in found)


def test_older_spellings_are_not_offered(complete: Callable[..., list[str]]) -> None:
    assert plain("--request-body") == complete("generate", "csharp", "--req")
    assert plain("--retries") == complete("generate", "csharp", "--ret")
    assert [] == complete("generate", "csharp", "--tier")


def test_the_script_for_bash_is_printed(retouch_process: RetouchProcess) -> None:
    done = retouch_process(_RETOUCH_COMPLETE="bash_source")
    assert (0, True) == (done.returncode, "_RETOUCH_COMPLETE=bash_complete" in done.stdout)
    assert 0 == subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=False).returncode
