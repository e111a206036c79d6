"""What a sentence says may be created is not what a tool only adds something to."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.language.policy import Policy

TOOLS = {"create_playlist": ("name",), "add_to_playlist": ("playlist", "song_ids")}


@pytest.mark.parametrize("text", ["You may create playlists.", "Playlists may be created."])
def test_leave_to_create_a_thing_is_no_leave_to_add_to_one(text: str):
    tools = [{"toolName": name, "args": {arg: ["none"] for arg in args}} for name, args in TOOLS.items()]
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}}
    known = Policy.of_json(value | {"annotations": {"servers": {"music": {"tools": tools}}}})
    assert [("create_playlist",)] == [one.when.tool for one in compile_clauses(text, known).rules]
