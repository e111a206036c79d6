"""What is on the shelves."""

from __future__ import annotations


class Shelf:
    """Holds pieces of goods by their codes."""

    def __init__(self, pieces: dict[str, int]) -> None:
        self.pieces = {plain_code(code): count for code, count in pieces.items()}

    def take(self, code: str, count: int) -> int:
        """Take pieces from the shelf and return how many are left."""
        known = plain_code(code)
        if self.pieces[known] < count:
            raise ValueError(f"only {self.pieces[known]} of {code} are left")
        self.pieces[known] -= count
        return self.pieces[known]

    def refill(self, code: str, count: int) -> None:
        """Put pieces on the shelf."""
        self.pieces[plain_code(code)] = self.pieces.get(plain_code(code), 0) + count


def plain_code(code: str) -> str:
    """Return a code as the shelf knows it: no blanks around it, capitals only."""
    return code.lstrip().upper()
