"""Splits a file's text into lines with their endings. The byte order mark and the final newline are preserved."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, count
from operator import add

BOM = "\ufeff"


class FileLines:
    """The lines of one text.

    A line ends at LF or CRLF. CR alone only ends lines in a text without any LF. `bodies` have no line ending. Other
    separators of `str.splitlines` stay inside them.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.first_offset = 1 if text.startswith(BOM) else 0
        body = text[1:] if self.first_offset else text
        self.endings: list[str] | None = None  # None: every line ends with `eol`
        self.eol = "\n"
        if "\r" not in body:
            self.bodies = body.split("\n")
        elif "\n" not in body:
            self.eol = "\r"
            self.bodies = body.split("\r")
        else:
            self._split_mixed(body)
        self.ends_with_newline = not self.bodies[-1]
        if self.ends_with_newline:
            self.bodies.pop()
            if self.endings:
                self.endings.pop()

    def _split_mixed(self, body: str) -> None:
        parts = body.split("\n")
        endings = ["\r\n" if part.endswith("\r") else "\n" for part in parts]
        endings[-1] = ""  # the text after the last LF has no line ending
        self.bodies = [part[:-1] if ending == "\r\n" else part for part, ending in zip(parts, endings, strict=True)]
        crlf = endings.count("\r\n")
        self.eol = "\r\n" if crlf * 2 >= len(endings) - 1 else "\n"
        if crlf != len(endings) - 1:
            self.endings = endings

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line in the text. The last item is the text's length."""
        starts = list(accumulate(map(len, self.bodies), initial=self.first_offset))
        if self.endings is None:
            starts = list(map(add, starts, count(0, len(self.eol))))
        else:
            starts = list(map(add, starts, accumulate(map(len, self.endings), initial=0)))
        starts[-1] = len(self.text)
        return starts

    @cached_property
    def has_tabs(self) -> bool:
        """True if a line starts with a tab."""
        return self._has_start("\t")

    @cached_property
    def has_blanks(self) -> bool:
        """True if a line starts with at least two spaces."""
        return self._has_start("  ")

    def count_of_starts(self, start: str) -> int:
        """Return how many lines, except the first, start with `start`."""
        return self.text.count(self.eol[-1] + start)

    def _has_start(self, start: str) -> bool:
        return self.text.startswith(start, self.first_offset) or self.eol[-1] + start in self.text

    def ending_near(self, line: int) -> str:
        """Return the line ending for a new line next to this one."""
        if self.endings is None or not self.bodies:
            return self.eol
        inside = min(max(line, 0), len(self.endings) - 1)
        return self.endings[inside] or (self.endings[inside - 1] if inside else self.eol)

    def keep_final_state(self, new_text: str) -> str:
        """Return the new text with the final newline of this text: it is preserved, and none is added."""
        if not new_text or new_text == BOM or not self.text:
            return new_text
        ended = new_text.endswith(("\n", "\r")) if self.eol == "\r" else new_text.endswith("\n")
        if self.ends_with_newline and not ended:
            return new_text + self.ending_near(len(self.bodies))
        if not self.ends_with_newline and ended:
            return new_text[:-2] if new_text.endswith("\r\n") else new_text[:-1]
        return new_text
