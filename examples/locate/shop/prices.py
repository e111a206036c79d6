"""What things cost, in cents."""

from __future__ import annotations

BULK_PIECES = 48


def with_tax(net: int, rate: float = 0.2) -> int:
    """Return the gross price."""
    return round(net * (1 + rate))


def bulk_discount(pieces: int, net: int) -> int:
    """Return what a pallet of pieces costs less."""
    return net // 10 if pieces > BULK_PIECES else 0


def shipping(weight_g: int) -> int:
    """Return what sending a parcel costs."""
    return 0 if weight_g == 0 else 390 + weight_g // 500 * 80
