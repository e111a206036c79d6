"""What locating says when it cannot go on."""

from __future__ import annotations


class LocateError(Exception):
    """A reference, a folder, a diff or a ledger that cannot be used; `hint` is the next step."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message
