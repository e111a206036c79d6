"""What is said of a sentence that is not understood."""

from __future__ import annotations

import pytest

from retouch.recipes.policy.english.checking.unread import FORMS
from retouch.recipes.policy.english.compiling import understood
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from tests.recipes.policy.english.meanings import TEXT, frame_of

TOOLBOX = Toolbox(
    frame_of(
        "shop",
        {
            "refund_order": ("Refund an order.", {"order": TEXT}),
            "cancel_order": ("Cancel an order.", {"order": TEXT}),
        },
    )
)


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("not understood: 'polish', 'gadgets'", "Polish gadgets on orders."),
        ("not understood: 'shrinking', 'violets'", "Shrinking violets refund orders."),
        (FORMS, "Orders refund orders cancel orders."),
        ("expected the end of the sentence", "Allow reading files inside ~/a sometimes."),
    ],
)
def test_a_refusal_names_the_words_that_are_not_known_or_else_the_forms_that_are(why: str, text: str) -> None:
    read, refused = understood(text, TOOLBOX)
    assert not read
    assert why in next(iter(refused.values()))
