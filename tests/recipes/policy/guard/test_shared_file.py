"""The file that guards write to together, and the lines of a server that need no change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.policy import check_audit
from retouch.recipes.policy.guard.audit import Audit
from retouch.recipes.policy.guard.messages import may_pass

if TYPE_CHECKING:
    from pathlib import Path


def test_an_audit_that_was_moved_away_or_removed_is_begun_anew(tmp_path: Path):
    file, kept = tmp_path / "audit", tmp_path / "kept"
    first, second = Audit(file), Audit(file)
    first.append("one", {})
    second.append("two", {})
    file.rename(kept)
    first.append("three", {})
    second.append("four", {})
    assert (2, 2) == (check_audit(kept), check_audit(file))
    file.unlink()
    first.append("five", {})
    assert 1 == check_audit(file)


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}', True),
        ('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}', False),
        ('{"jsonrpc":"2.0","id":1,"result":{"\\u0074ools":[]}}', False),
        ('{"jsonrpc":"2.0","id":"retouch-guard-1","method":"ping"}', False),
        ('{"jsonrpc":"2.0","id":1,"result":{},"Result":{}}', False),
        ('[{"jsonrpc":"2.0","id":1,"result":{}}]', False),
    ],
)
def test_a_line_of_the_server_passes_only_if_nothing_in_it_can_have_to_be_changed(line: str, passes: bool):
    found: Any = json.loads(line)
    first: Any = found[0] if line.startswith("[") else found
    assert passes == may_pass(line.encode(), first)
