"""How tests write replies."""

from __future__ import annotations

FENCE = "```"


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
