"""Two checks of the shop that fail. Usage: python checks.py NAME."""

from __future__ import annotations

import sys

from shop.cart import Cart, Line
from shop.stock import Shelf


def check_a_full_pallet_gets_the_bulk_discount() -> None:
    cart = Cart(Shelf({"OAK-2": 48}))
    cart.add(Line("OAK-2", pieces=48, cents=100))
    total = cart.total()
    assert total == 5184, f"48 pieces are a pallet: discount is missing in {total}"


def check_blanks_around_a_code_do_not_matter() -> None:
    cart = Cart(Shelf({"OAK-2": 48}))
    cart.add(Line("oak-2 ", pieces=1, cents=100))


if __name__ == "__main__":
    globals()[f"check_{sys.argv[1]}"]()
