"""What passed only because the user waived it is named in the first line of every command, and by the library."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from click.testing import CliRunner

from retouch.cli.root import command
from retouch.engine.directory import open_run
from retouch.engine.overview import overview
from retouch.recipes.policy.making.runs import recheck

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from click.testing import Result

MORE = "\n- Be nice.\n"
WAIVED = "verified, 1 clause waived  run"


def retouch(*words: str) -> Result:
    return CliRunner().invoke(command, list(words))


def test_a_waiver_is_named_wherever_the_status_is(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(project / "examples" / "policy", tmp_path / "policy")
    text = tmp_path / "policy" / "constitution.md"
    text.write_text(text.read_text(encoding="utf-8") + MORE, encoding="utf-8")
    files = [f"--{name}=policy/{name}.json" for name in ("lists", "base", "scenarios")]
    words = ("generate", "policy", str(text), "--tools", "policy/annotations.json", *files, "-o", "run")
    first = retouch(*words)
    assert (1, "issues  run") == (first.exit_code, first.stdout.splitlines()[0])
    waived = retouch("policy", "waive", "run", "Be nice.", "--reason", "tone")
    assert (0, WAIVED) == (waived.exit_code, waived.stdout.splitlines()[0])
    for again in (("validate", "run"), ("show", "run"), ("resume", "run"), ("assemble", "run"), words):
        done = retouch(*again)
        assert done.stdout.startswith(WAIVED), (again, done.output, done.stderr)
        assert 0 == done.exit_code
    codes = [issue["code"] for issue in json.loads(retouch("validate", "run", "--json").stdout)["issues"]]
    assert "CLAUSE_WAIVED" in codes
    assert ("verified", "1 clause waived") == ((seen := overview(open_run(tmp_path / "run"))).status, seen.reason)
    assert ("verified", "1 clause waived") == ((result := recheck(tmp_path / "run")).status, result.reason)
    retouch("report", "run")
    assert "1 clause waived" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
