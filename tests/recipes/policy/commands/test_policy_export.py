"""`retouch policy export`: what it prints and writes, and the exit statuses."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from retouch.cli.root import command

POLICY = Path(__file__).parents[1] / "fixtures"


def run(*words: object) -> Result:
    return CliRunner().invoke(command, ["policy", "export", *map(str, words)])


def test_the_policies_are_printed_and_checked():
    done = run(POLICY, "--to", "cedar")
    assert 0 == done.exit_code
    assert '@id("allow-read-documents")' in done.stdout
    assert "Cedar decides 59 of 59 calls alike" in done.stderr


def test_policies_and_schema_are_written(tmp_path: Path):
    done = run(POLICY, "--to", "cedar", "-o", tmp_path / "out", "--json")
    found = json.loads(done.stdout)
    assert (0, True) == (done.exit_code, found["check"]["passed"])
    assert ["policy.cedar", "policy.cedarschema"] == [Path(one).name for one in found["files"]]
    assert found["policies"] == (tmp_path / "out" / "policy.cedar").read_text(encoding="utf-8")
    assert found["schema"] == (tmp_path / "out" / "policy.cedarschema").read_text(encoding="utf-8")


def test_a_rule_that_cannot_be_exported_is_misuse_and_named(tmp_path: Path):
    value = json.loads((POLICY / "policy.json").read_text(encoding="utf-8"))
    lists = [{"roles": [one], "allowed": ["x"], "matchType": "identifiers"} for one in ("github-owner", "github-repo")]
    value["rules"] = [{"name": "odd", "if": {"lists": lists}, "then": "allow"}]
    (tmp_path / "policy.json").write_text(json.dumps(value), encoding="utf-8")
    done = run(tmp_path, "--to", "cedar", "-o", tmp_path / "out")
    assert 2 == done.exit_code
    assert "rule 'odd': its lists apply to different roles" in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_export_that_differs_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def agreeable(requests: list[object], *_: object) -> list[SimpleNamespace]:
        return [SimpleNamespace(allowed=True) for _ in requests]

    monkeypatch.setattr("cedarpy.is_authorized_batch", agreeable)
    done = run(POLICY, "--to", "cedar", "-o", tmp_path / "out")
    assert 1 == done.exit_code
    assert "differs filesystem/" in done.stdout
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", [[POLICY], [POLICY, "--to", "rego"], ["nowhere", "--to", "cedar"]])
def test_misuse_exits_with_two(words: list[object]):
    assert 2 == run(*words).exit_code
