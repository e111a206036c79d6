"""What somebody is about to buy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shop.prices import bulk_discount, shipping, with_tax

if TYPE_CHECKING:
    from shop.stock import Shelf


@dataclass
class Line:
    """Pieces of one kind in a cart."""

    code: str
    pieces: int
    cents: int
    weight_g: int = 0

    def net(self) -> int:
        """Return the price of the line after its discount."""
        full = self.pieces * self.cents
        return full - bulk_discount(self.pieces, full)


@dataclass
class Cart:
    """Lines, and the shelf they are taken from."""

    shelf: Shelf
    lines: list[Line] = field(default_factory=list[Line])

    def add(self, line: Line) -> None:
        """Take the pieces of a line from the shelf into the cart."""
        self.shelf.take(line.code, line.pieces)
        self.lines.append(line)

    def total(self) -> int:
        """Return what is to pay: lines, tax and shipping."""
        net = sum(line.net() for line in self.lines)
        return with_tax(net) + shipping(sum(line.weight_g for line in self.lines))

    def summary(self) -> str:
        """Return the cart as text."""
        return "\n".join(f"{line.pieces} x {line.code}" for line in self.lines)
