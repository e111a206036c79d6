"""How tests write replies to one file, and apply them."""

from __future__ import annotations

from retouch.edits import EditResult, apply_reply

FENCE = "```"
NAME = "m.py"


def change(*pairs: tuple[str, str], path: str | None = None) -> str:
    """A reply of CHANGE blocks; every text ends with a newline or is empty."""
    named = f"FILE: {path}\n" if path else ""
    return "\n".join(
        f"### CHANGE {number}: step {number}\n{named}FIND:\n{FENCE}\n{find}{FENCE}\n\n"
        f"REPLACE WITH:\n{FENCE}\n{replace}{FENCE}\n"
        for number, (find, replace) in enumerate(pairs, start=1)
    )


def markers(find: str, replace: str, *, path: str = "") -> str:
    """A reply of one SEARCH block."""
    return f"{path}\n{FENCE}\n<<<<<<< SEARCH\n{find}=======\n{replace}>>>>>>> REPLACE\n{FENCE}\n"


def applied(reply: str, text: str) -> str | None:
    result = apply_reply(reply, {NAME: text}, target=NAME)
    assert result.outcome == "applied", result.issues
    return result.files[NAME]


def refused(reply: str, text: str, *, stop_reason: str | None = None) -> EditResult:
    result = apply_reply(reply, {NAME: text}, target=NAME, stop_reason=stop_reason)
    assert result.outcome == "refused"
    assert not result.files
    assert not result.edits
    return result


def tiers(reply: str, text: str) -> list[str]:
    return [edit.tier for edit in apply_reply(reply, {NAME: text}, target=NAME).edits]
