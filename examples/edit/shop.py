"""A small shop: prices with tax, and a discount for large orders."""

TAX = 0.19


class Order:
    """What a customer buys: prices without tax."""

    currency = "EUR"

    def __init__(self, prices: list[float]) -> None:
        self.prices = list(prices)

    def total(self):
        return round(sum(self.prices) * (1 + TAX), 2)

    def discounted(self):
        total = self.total()
        if total > 100:
            return total
        return total

    def is_empty(self):
        return not self.prices
