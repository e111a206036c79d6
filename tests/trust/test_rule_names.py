"""A private name does not leave this machine, however it is written."""

from __future__ import annotations

import pytest

from retouch.recipes.rule import RuleJob
from retouch.recipes.rule.asking.redactor import redactor_of
from retouch.recipes.rule.asking.source import checked
from retouch.recipes.rule.job import recipe

DAYS = [f"2024-01-{day:02}" for day in range(1, 25)]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/home/{name}/{day}/{upper}_scan.dcm", ""),
        ("/home/{name}/{day}/{title}-scan.dcm", ""),
        ("/home/{name}/{day}/scan.dcm", "the first directory is the home of Smithson"),
    ],
)
def test_a_private_name_in_another_case_is_hidden_too(path: str, hint: str) -> None:
    names = ("smithson", "wilcox")
    paths = [
        path.format(day=day, name=one, upper=one.upper(), title=one.title())
        for at, day in enumerate(DAYS)
        for one in (names[at % 2],)
    ]
    job = checked(RuleJob(paths=tuple(paths), hint=hint))
    sent = "".join(f"{one.system}{one.user}" for one in recipe.plan(job)).lower()
    assert [] == [name for name in names if name in sent]
    stand_ins = redactor_of(job).stand_ins
    assert len(stand_ins) == len(set(stand_ins.values()))
