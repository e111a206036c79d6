"""Colours that colour-blind users can distinguish. A symbol always has the same meaning as its colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.rule.wizard.lines import StyledLine, Tone

# The palette of Okabe and Ito, with colours lightened that would be too dark on a dark background.
SKY, ORANGE, VERMILION, YELLOW, GREY = "#56b4e9", "#e69f00", "#ff8a4c", "#f0e442", "#9aa6b2"
DIM = "#5a6672"
THEME = Theme(
    name="retouch",
    primary=SKY,
    secondary=GREY,
    accent=YELLOW,
    success=SKY,
    warning=ORANGE,
    error=VERMILION,
    foreground="#e4e8ec",
    background="#11161b",
    surface="#161d24",
    panel="#1e2730",
    dark=True,
)
TONES: dict[Tone, str] = {
    "plain": "",
    "title": f"bold {SKY}",
    "good": f"bold {SKY}",
    "doubt": ORANGE,
    "bad": f"bold {VERMILION}",
    "quiet": GREY,
    "code": f"{YELLOW}",
    "key": "",
}


def coloured(lines: Iterable[StyledLine]) -> Text:
    """Return lines as one text. Markup in them is not interpreted."""
    text = Text()
    for line in lines:
        text.append("\n" if text else "")
        if line.tone == "key":
            key, _, rest = line.text.partition("]")
            text.append(f"{key}]", style=f"bold {YELLOW}")
            label, dash, more = rest.partition(" - ")
            text.append(label)
            text.append(f"{dash}{more}", style=GREY)
        else:
            text.append(line.text, style=TONES[line.tone])
    return text


def keyed(*keys: tuple[str, str]) -> Text:
    """Return keys and their labels on one line."""
    text = Text()
    for key, label in keys:
        text.append(key, style=f"bold {YELLOW}")
        text.append(f" {label}   ")
    return text
