"""`retouch policy rewrite` keeps the words visible that the chosen sentence leaves out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    from click.testing import Result

TEXT = "- Never refund an order twice.\n"
EXACT = "Never use the tool refund_order of shop."
TOOL: dict[str, Any] = {
    "toolName": "refund_order",
    "comment": "Refund an order.",
    "args": {"order_id": ["none"]},
    "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
}
WORDS = ("generate", "policy", "shop.md", "--tools", "tools.json", "-o", "run", "-q")


def refused(folder: Path, monkeypatch: pytest.MonkeyPatch, retouch: Callable[..., Result]) -> Path:
    """Return the text of a run that did not understand its sentence."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    (folder / "tools.json").write_text(json.dumps({"servers": {"shop": {"tools": [TOOL]}}}), encoding="utf-8")
    (folder / "shop.md").write_text(TEXT, encoding="utf-8")
    assert 1 == retouch(*WORDS).exit_code
    return folder / "shop.md"


def test_what_is_left_out_is_printed_and_stays_beside_the_old_sentence(
    work_folder: Path, monkeypatch: pytest.MonkeyPatch, retouch: Callable[..., Result]
):
    text = refused(work_folder, monkeypatch, retouch)
    done = retouch("policy", "rewrite", "shop.md", "run", "1")
    assert [f"line 1: {EXACT}", "leaves out: twice"] == done.stdout.splitlines()[:2]
    assert f"- {EXACT} <!-- Never refund an order twice. [leaves out: twice] -->\n" == text.read_text(encoding="utf-8")
    retouch(*WORDS)
    shown = json.loads(retouch("policy", "clauses", "run", "--json").stdout)["clauses"]
    assert [(EXACT, "enforced")] == [(one["text"], one["status"]) for one in shown]


def test_the_json_names_what_is_left_out(
    work_folder: Path, monkeypatch: pytest.MonkeyPatch, retouch: Callable[..., Result]
):
    refused(work_folder, monkeypatch, retouch)
    done = retouch("policy", "rewrite", "shop.md", "run", "1", "--json")
    wanted = {"line": 1, "was": "Never refund an order twice.", "now": EXACT, "leaves_out": ["twice"]}
    assert wanted == json.loads(done.stdout)
