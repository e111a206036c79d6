from shop import Order


def test_total():
    assert 119.0 == Order([40, 60]).total()


def test_discount():
    assert 107.1 == Order([40, 60]).discounted()


if __name__ == "__main__":
    test_total()
    test_discount()
