"""What is kept of what a command prints."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from retouch._lib.process.output import BoundedOutput, new_failures, trimmed


@given(st.lists(st.binary(max_size=40)), st.integers(1, 30), st.integers(1, 30))
def test_the_first_and_the_last_bytes_are_kept_whatever_the_pieces(pieces: list[bytes], head: int, tail: int) -> None:
    bounded = BoundedOutput(head, tail)
    for piece in pieces:
        bounded.add(piece)
    whole = b"".join(pieces)
    if len(whole) <= head + tail:
        assert whole.decode("utf-8", "replace") == bounded.text()
        return
    left_out = f"\n[... {len(whole) - head - tail:,} bytes left out ...]\n".encode()
    assert (whole[:head] + left_out + whole[-tail:]).decode("utf-8", "replace") == bounded.text()


def test_a_long_output_is_trimmed_to_its_errors_and_its_end() -> None:
    output = "".join(f"compiling {number}\n" for number in range(500)) + "done\n"
    output = output.replace("compiling 250\n", "Alu.scala:7: error: not found: value rs1\n")
    shown = trimmed(output)
    assert "Alu.scala:7: error: not found" in shown
    assert shown.endswith("done")
    assert len(shown.splitlines()) < 20


def test_only_new_errors_count_and_numbers_make_no_difference() -> None:
    before = "a.py:7: error: x\nran 12 tests in 0.5 s\n1 failed\n"
    assert [] == new_failures(before, "a.py:9: error: x\nran 12 tests in 0.7 s\n1 failed\n")
    assert ["b.py:1: error: y"] == new_failures(before, before + "b.py:1: error: y\nfine\n")
