from shop import Order


def test_an_order_costs_its_prices_with_tax():
    assert 119.0 == Order([40, 60]).total()


def test_a_large_order_costs_less():
    assert 107.1 == Order([40, 60]).discounted()


if __name__ == "__main__":
    test_an_order_costs_its_prices_with_tax()
    test_a_large_order_costs_less()
