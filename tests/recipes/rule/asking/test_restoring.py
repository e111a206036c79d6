"""Rules about stand-ins become rules about the real paths, and the model's own text stays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retouch.recipes.rule.asking.offline import answer
from retouch.recipes.rule.asking.pages import prompt_for, shown_paths
from retouch.recipes.rule.asking.redactor import redactor_of
from retouch.recipes.rule.repairing.failures import validated
from tests.recipes.rule.rounds_scene import job

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.rule import RuleJob


def strict(*paths: str) -> RuleJob:
    return job(*paths, mode="strict", form="yaml")


def written(of: RuleJob, glob: str, pattern: str) -> str:
    """Return the text of a rule that a model wrote."""
    result = validated(of, f"name: x\nglob: '{glob}'\nextract:\n  a: {{from: filename, pattern: '{pattern}'}}\n")
    assert result.parsed is not None, result.error_message
    return result.parsed.text


@pytest.mark.parametrize(
    ("form", "kept"),
    [
        ("/data/OR_ABI_G16_s{n:014}.nc", "G16"),
        ("/x86_64-linux-gnu/lib{n:03}.so", "x86_64-linux"),
        ("/lib/mod{n:02}.cpython-311.pyc", "cpython-311"),
        ("/db/ADV-2023-{n:04}/v1.0/a.md", "v1.0"),
    ],
)
def test_what_is_short_and_was_copied_from_a_path_means_what_it_means_there(form: str, kept: str) -> None:
    of = strict(*(form.format(n=number) for number in range(3, 19)))
    veiled, real = shown_paths(of)[0]
    assert kept not in prompt_for(of, "yaml").user
    copied = veiled[real.index(kept) :][: len(kept)]
    text = written(of, f"**/*{copied}*" if kept in real.rpartition("/")[2] else f"**/*{copied}*/*", "^(.)")
    assert kept in text


def test_numbers_that_a_writer_made_up_stay_as_they_are() -> None:
    of = strict(*(f"/srv/site/x{number}.csv" for number in range(1, 9)))
    veiled = shown_paths(of)[0][0]
    assert "/srv/site" not in veiled
    folders = veiled.rpartition("/")[0]
    for own in ("^x0*([0-9]{1,3})", "^x(?:0|[0-9])", "(0|1|2|3|4|5|6|7|8)", "^x([0-8]?)"):
        text = written(of, f"{folders}/x*.csv", own)
        assert own in text
        assert "glob: '/srv/site/x*.csv'" in text


def test_addresses_are_taken_back_with_and_without_backslashes() -> None:
    of = job("/srv/10.20.30.40/C:\\x_1.csv", "/srv/10.20.30.41/C:\\x_2.csv", form="yaml", hide=("C:.x",))
    (veiled, _), _ = shown_paths(of)
    address = veiled.split("/")[2]
    assert "10.20.30.40" not in prompt_for(of, "yaml").user
    for said in (address, address.replace(".", r"\.")):
        text = written(of, "/srv/*/*.csv", f"^({said}|.+)$")
        assert "10.20.30.40" in text.replace("\\", "")


def test_what_was_copied_from_several_paths_at_once_is_not_taken_apart() -> None:
    of = strict("/in/a16_b70.csv", "/in/a23_b81.csv")
    (first, _), (second, _) = shown_paths(of)
    mixed = f"{first[:-8]}_{second[-7:-4]}".rpartition("/")[2]
    text = written(of, "**/*.csv", f"({mixed}|a[0-9]+)")
    assert mixed in text


def test_a_stand_in_of_what_is_almost_a_date_is_as_long_as_that() -> None:
    for near in ("2023-0014", "202301-14", "20230114", "2023-01-14", "14-01.2023"):
        assert len(near) == len(redactor_of(strict(f"/srv/{near}.csv", "/srv/other.csv")).hide(near))


def test_stand_ins_begin_alike_only_where_words_are_the_same() -> None:
    redactor = redactor_of(strict(*(f"/srv/{word}-1.csv" for word in ("hash", "libc", "core", "test"))))
    assert 4 == len({redactor.hide(word)[0] for word in ("hash", "libc", "core", "test")})


def test_a_rule_from_strictly_hidden_samples_passes_on_the_projects_own_listings(project: Path) -> None:
    for file in sorted((project / "benchmarks" / "paths").glob("*.jsonl")):
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        paths = [line["path"] for line in lines if line["fields"] is not None]
        of = strict(*paths[:: max(len(paths) // 12, 1)])
        assert [] == validated(of, answer(prompt_for(of, "yaml"))).errors, file.name
