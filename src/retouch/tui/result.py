"""An artifact on the screen: the extracted values, its text, the paths that do not match, and its conflicts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import ScrollableContainer, Vertical, VerticalScroll
from textual.widgets import DataTable, Static, TabbedContent, TabPane

from retouch.tui.colours import GREY, ORANGE, SKY, TONES, VERMILION, YELLOW
from retouch.tui.panes import Grid

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from retouch.recipes.rule.wizard.session import WizardSession
    from retouch.recipes.rule.wizard.shown import Mark, Shown, ShownCell, ShownRow

BAR = 12
MAX_CELL_CHARS = 40
PATH_SHARE = 0.4  # of the width of the screen
_STATUS = {"COMPLETE": SKY, "PARTIAL": ORANGE, "FAILED": VERMILION, "UNMATCHED": GREY}
_MARK: dict[Mark, str] = {"ok": "", "default": ORANGE, "failed": f"bold {VERMILION}"}


class Result(Vertical):
    """The current artifact and all its details."""

    def __init__(self, session: WizardSession, shown: Shown) -> None:
        super().__init__(classes="pane")
        self._session = session
        self._shown = shown
        paths = [row.path for row in shown.rows]
        self._directory = _common_directory(paths)

    def compose(self) -> ComposeResult:
        """Yield the heading, the tabs and the line about the cell under the cursor."""
        shown = self._shown
        yield Static(self._heading(), id="heading", markup=False)
        with TabbedContent(id="tabs"):
            with TabPane("1 Preview", id="preview"):
                yield Grid(id="rows", header_height=2, zebra_stripes=True)
            with TabPane("2 Text", id="text"), ScrollableContainer():
                yield Static(Text(shown.text, style=YELLOW), id="artifact", markup=False)
            with TabPane(f"3 Not matched ({len(shown.unmatched)})", id="unmatched"), VerticalScroll():
                yield Static(self._unmatched(), markup=False)
            with TabPane(f"4 Conflicts ({len(shown.conflicts)})", id="conflicts"), VerticalScroll():
                yield Static(self._conflicts(), markup=False)
            with TabPane(f"5 Notes ({len(shown.notes)})", id="notes"), VerticalScroll():
                yield Static(self._notes(), markup=False)
        yield Static(id="detail", markup=False)

    def on_mount(self) -> None:
        """Fill the table and focus it."""
        grid = self.query_one(Grid)
        grid.add_column(Text(" \n "), width=1)
        below = Text("path", style="bold")
        below.append(f"\nbelow {self._directory}" if self._directory else "\n", style=f"not bold {GREY}")
        longest = max((len(self._below(row)) for row in self._shown.rows), default=4)
        grid.add_column(below, width=min(max(longest, 4), self._path_width))
        grid.fixed_columns = 2  # the path stays in sight while the fields are scrolled
        for column in self._shown.columns:
            name = Text(column.name, style="bold")
            name.append(f"\n{column.heading}", style=f"not bold {GREY}")
            grid.add_column(name)
        for row in self._shown.rows:
            grid.add_row(*self._cells(row))
        grid.move_cursor(column=1)
        grid.focus()

    def renew(self) -> None:
        """Do nothing, because an artifact does not change."""

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        """Show the details of a cell only on the tab with cells."""
        self.query_one("#detail").display = event.pane.id == "preview"

    def turn_to(self, tab: str) -> None:
        """Show another tab."""
        tabs = self.query_one(TabbedContent)
        tabs.active = tab
        if tab == "preview":
            self.query_one(Grid).focus()
        else:
            tabs.get_pane(tab).query_one(ScrollableContainer).focus()

    def on_data_table_cell_highlighted(self, event: DataTable.CellHighlighted) -> None:
        """Show the details of the cell under the cursor."""
        row = self._shown.rows[event.coordinate.row]
        at = event.coordinate.column - 2
        field = self._shown.columns[at].name if 0 <= at < len(self._shown.columns) else ""
        cell = row.cells[at] if field else None
        self._session.data.at_path, self._session.data.at_field = row.path, field
        self.query_one("#detail", Static).update(_detail(row, field, cell))

    def _heading(self) -> Text:
        shown, wizard = self._shown, self._session.wizard
        kind = "YAML rule" if shown.kind == "yaml" else f"Python function ({shown.engine})"
        text = Text(no_wrap=True, overflow="ellipsis")
        if shown.questions:  # first, so that a narrow screen does not hide it
            text.append(f"unverified: {shown.questions} open (5)   ", style="bold")
        text.append("✓ ", style=TONES["good"])
        text.append(f"{kind} ", style="bold")
        text.append(shown.name, style=f"bold {YELLOW}")
        text.append(", edited by you" if wizard.is_manual else "", style=GREY)
        full = round(shown.coverage * BAR)
        text.append(f"   {shown.taken:,} of {shown.total:,} paths complete  ")
        if not shown.questions:
            text.append("█" * full, style=SKY)
            text.append("░" * (BAR - full), style=GREY)
        text.append(f" {shown.coverage:.0%}", style="bold")
        return text

    def _cells(self, row: ShownRow) -> list[Text]:
        first = [
            Text(row.symbol, style=_STATUS[row.status]),
            Text(_short_path(self._below(row), self._path_width), style=GREY),
        ]
        return [*first, *(Text(_short(cell.marked), style=_MARK[cell.mark]) for cell in row.cells)]

    @property
    def _path_width(self) -> int:
        return max(int(self.screen.size.width * PATH_SHARE), 8)

    def _below(self, row: ShownRow) -> str:
        return row.path.removeprefix(self._directory)

    def _unmatched(self) -> Text:
        text = Text()
        for row in self._shown.unmatched:
            text.append(f"{row.symbol} {row.path}\n")
            text.append(f"    {row.why}\n", style=ORANGE)
        return text or Text("The artifact matches every sample.", style=GREY)

    def _conflicts(self) -> Text:
        text = Text()
        for one in self._shown.conflicts:
            sure = one.decided_by == "priority"
            text.append(f"{'○' if sure else '!'} {one.winner}", style=f"bold {SKY if sure else ORANGE}")
            how = "by its priority" if sure else "only by its name" if one.decided_by == "name" else "for no reason"
            text.append(f" wins over {one.loser} {how}")
            shared = (
                f"{one.common:,} samples in common, such as" if one.common else "no sample in common, but possible is"
            )
            text.append(f"\n    {shared} {one.example}\n", style=GREY)
        rules = len(self._session.data.setup.rules)
        none = (
            f"None with your {rules:,} rules."
            if rules
            else "There are no rules yet in the directory that --rules names (default: rules)."
        )
        return text or Text(none, style=GREY)

    def _notes(self) -> Text:
        return Text("\n".join(f"! {note}" for note in self._shown.notes)) or Text("No notes.", style=GREY)


def _common_directory(paths: list[str]) -> str:
    """Return the directory, with its slash, that contains all paths, or "" if there is none."""
    directories = [path.rpartition("/")[0] for path in paths]
    try:
        common = os.path.commonpath(directories) if directories else ""
    except ValueError:  # some are absolute and some are not
        return ""
    return f"{common.rstrip('/')}/" if common.strip("/") and all(one.startswith(f"{common}/") for one in paths) else ""


def _short(text: str) -> str:
    return text if len(text) <= MAX_CELL_CHARS else f"{text[: MAX_CELL_CHARS - 1]}…"


def _short_path(path: str, width: int) -> str:
    """Return a path of at most `width` characters: its beginning and its end."""
    if len(path) <= width:
        return path
    kept = width - 1
    return f"{path[: kept // 3]}…{path[len(path) - (kept - kept // 3) :]}"


def _detail(row: ShownRow, field: str, cell: ShownCell | None) -> Text:
    if row.why:
        return Text(f"{row.symbol} {row.why}", style=_STATUS[row.status])
    if cell is None:
        return Text(f"{row.symbol} {row.path}", style=GREY)
    if cell.why:
        return Text(f"{cell.marked.strip() or '○'}  {field}: {cell.why}", style=_MARK[cell.mark])
    return Text(f"{row.symbol} {field} = {cell.text}", style=GREY)
