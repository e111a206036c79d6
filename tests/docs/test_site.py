"""The site, the schemas and the distributions: what `make docs`, `make reference` and `make release` make."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from typing import TYPE_CHECKING, Any, cast

import jsonschema
import pytest
import yaml

if TYPE_CHECKING:
    from pathlib import Path


def script(project: Path, name: str) -> Any:
    found = importlib.util.spec_from_file_location(f"retouch_{name}", project / "scripts" / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def validator(project: Path, name: str) -> Any:
    schema: Any = json.loads((project / "docs" / "reference" / "schemas" / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def blocks(project: Path, page: str, language: str) -> list[str]:
    text = (project / "docs" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_settings_of_the_pages_satisfy_the_schema_and_typing_errors_do_not(project: Path) -> None:
    known = validator(project, "retouch.toml")
    examples = [
        tomllib.loads(one)
        for page in ("reference/settings.md", "reference/schemas.md")
        for one in blocks(project, page, "toml")
    ]
    assert 2 <= len(examples)
    assert [[]] * len(examples) == [list(known.iter_errors(one)) for one in examples]
    wrong: list[dict[str, Any]] = [
        {"modle": "offline"},
        {"generate": {"modle": "offline"}},
        {"concurrency": "many"},
        {"concurrency": 0},
        {"generate": "offline"},
        {"strict": 1},
    ]
    assert [True] * len(wrong) == [any(known.iter_errors(one)) for one in wrong]


def test_the_schema_of_settings_has_every_key_of_the_page(project: Path) -> None:
    keys = set(
        re.findall(
            r"^\| `([a-z0-9-]+)` \| `RETOUCH_", (project / "docs/reference/settings.md").read_text(), re.MULTILINE
        )
    )
    assert keys <= validator(project, "retouch.toml").schema["properties"].keys()


def with_null_as_text(value: Any) -> Any:
    """Return a rule with the key `null` as the text that Retouch reads; PyYAML reads None."""
    if isinstance(value, dict):
        known = cast("dict[str | None, Any]", value)
        return {"null" if key is None else key: with_null_as_text(one) for key, one in known.items()}
    return value


def test_rules_of_the_pages_satisfy_the_schema_and_wrong_ones_do_not(project: Path) -> None:
    known = validator(project, "rule")
    examples = [yaml.safe_load(one) for one in blocks(project, "reference/rule.md", "yaml")]
    rules = [with_null_as_text(one) for one in examples if "glob" in one or "rules" in one]
    assert 2 <= len(rules)
    assert [[]] * len(rules) == [list(known.iter_errors(one)) for one in rules]
    good = rules[0]
    field = {"from": "filename"}
    wrong = [
        {**good, "globs": "*"},
        {**good, "name": "Mission"},
        {**good, "extract": {"x": {**field, "type": "colour"}}},
        {**good, "extract": {"x": {"from": "segment(x)"}}},
        {**good, "priority": 2000},
    ]
    assert [True] * len(wrong) == [any(known.iter_errors(one)) for one in wrong]


def test_the_schema_of_policies_takes_the_example(project: Path) -> None:
    known = validator(project, "policy")
    policies = [json.loads(path.read_text()) for path in (project / "examples" / "policy").rglob("*policy*.json")]
    assert [[]] * len(policies) == [list(known.iter_errors(one)) for one in policies]
    assert any(known.iter_errors({"rules": "all"}))


def test_every_page_is_in_the_menu_and_links_stay_inside(project: Path, tmp_path: Path) -> None:
    site = script(project, "site")
    site.PAGES = tmp_path / "pages"
    site.prepare()
    site.expect_in_menu()
    (site.PAGES / "lost.md").write_text("# Lost\n")
    with pytest.raises(SystemExit, match=r"docs/lost\.md is in no menu"):
        site.expect_in_menu()
    assert "See the changelog and [run](run.md#files)." == site.for_site(
        "See the [changelog](../../CHANGELOG.md) and [run](run.md#files).", site.Path("reference/x.md")
    )


def test_what_a_page_loads_from_elsewhere_is_found(project: Path, tmp_path: Path) -> None:
    site = script(project, "site")
    (tmp_path / "a.html").write_text('<a href="https://x.org/">x</a><script src="https://x.org/a.js"></script>')
    (tmp_path / "b.css").write_text('@font-face { src: url("https://x.org/f.woff2") }')
    (tmp_path / "c.html").write_text('<link rel="stylesheet" href="style.css"><a href="https://x.org/">x</a>')
    found = [("a.html", "https://x.org/a.js"), ("b.css", "https://x.org/f.woff2")]
    assert found == site.loaded_from_elsewhere(tmp_path)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(project: Path) -> None:
    if not (project / ".venv" / "tools-docs" / "bin" / "zensical").exists():
        pytest.skip("needs the generator of the site: `make docs` installs it")
    done = subprocess.run([sys.executable, "scripts/site.py"], cwd=project, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout + done.stderr
    text = (project / "site" / "api" / "retouch.html").read_text()
    assert "Return the run directory" in text or "generate" in text
    assert (project / "site" / "search.json").exists() or list((project / "site").rglob("*search*"))


def test_stray_files_in_a_distribution_are_found(project: Path, tmp_path: Path) -> None:
    release = script(project, "release")
    stray = [
        "retouch/out/ledger.db",
        "retouch/tests/a.py",
        "retouch/test_a.py",
        "retouch/__pycache__/a.pyc",
        "retouch/x/ir.json",
    ]
    assert 5 == len(release.stray(stray))
    assert [] == release.stray(["retouch/testing/scripted.py", "retouch/py.typed", "retouch-1.dist-info/METADATA"])
    with zipfile.ZipFile(tmp_path / "retouch-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("retouch/py.typed", "")
        wheel.writestr("retouch/out/ledger.db", "")
        wheel.writestr("other/a.py", "")
    assert ["dist/ has 1 wheels and 0 source distributions; each must be one"] == release.faults(tmp_path)
    shutil.make_archive(str(tmp_path / "retouch-1"), "gztar", root_dir=project / "docs", base_dir="reference/schemas")
    found = release.faults(tmp_path)
    assert 3 == len(found), found
    assert "retouch/out/ledger.db is a file of a run" in found[1]


def test_no_run_directory_lies_in_the_repository(project: Path) -> None:
    if not (project / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs git and the project's history")
    listed = subprocess.run(["git", "ls-files"], cwd=project, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.splitlines() if not name.startswith("tests/")]
    assert [] == [
        name for name in names if name.rpartition("/")[2] in {"ledger.db", ".lock", ".holder.json", "ir.json"}
    ]
