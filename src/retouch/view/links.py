"""The addresses of the viewer's pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.report.comparing import UnitPair
    from retouch.report.run_pages import UnitRow
    from retouch.report.site import Query, Sort


class LiveLinks:
    """Addresses on the server. `run` is the name of the run that a page is about."""

    live = True

    def __init__(self, run: str = "") -> None:
        self._run = run

    def _to(self, path: str, **values: str | int) -> str:
        given = {"run": self._run, **values}
        text = urlencode({name: value for name, value in given.items() if value not in ("", 0, False)})
        return f"{path}?{text}" if text else path

    def asset(self, name: str) -> str:
        """Return the address of a style sheet or a script."""
        return f"/assets/{name}"

    def live_tree(self, stamp: str) -> str:
        """Return the address of the table of all runs, which is only sent if something has changed since `stamp`."""
        return f"/?{urlencode({'stamp': stamp})}"

    def run(self, name: str) -> str:
        """Return the address of a run."""
        return LiveLinks(name).overview()

    def overview(self) -> str:
        """Return the address of the run's overview."""
        return self._to("/run")

    def unit(self, row: UnitRow) -> str:
        """Return the address of a unit."""
        return self.unit_named(row.name)

    def unit_named(self, name: str) -> str:
        """Return the address of the unit of this name."""
        return self._to("/unit", unit=name)

    def file(self, name: str, line: int = 1) -> str:
        """Return the address of a written file."""
        del line
        return self._to("/file", file=name)

    def sections(self) -> str:
        """Return the address of the recipe's sections."""
        return self._to("/sections")

    def units(self) -> str:
        """Return the address of the table of units alone."""
        return self._to("/units")

    def live_summary(self, stamp: str) -> str:
        """Return the address of the summary, which is only sent if the run has changed since `stamp`."""
        return self._to("/live", stamp=stamp)

    def system(self, text: str) -> str:
        """Return the place of a system prompt."""
        del text
        return f"{self.overview()}#prompts"

    def shared(self) -> str:
        """Return the place of the common start of all prompts."""
        return f"{self.overview()}#prompts"

    def hidden(self) -> Sequence[tuple[str, str]]:
        """Return the hidden fields of the search form."""
        return [("run", self._run)] if self._run else []

    def _with(self, path: str, query: Query) -> str:
        down = "1" if query.down else ""
        page = query.page if query.page > 1 else ""
        return self._to(path, q=query.words, state=query.state, sort=query.sort, down=down, page=page)

    def at_page(self, query: Query, page: int) -> str:
        """Return the address of another page of the table."""
        return self._with("/run", replace(query, page=page))

    def sorted(self, query: Query, key: Sort) -> str:
        """Return the address of the table in another order: the other way round if it is in this one."""
        return self._with("/run", _turned(query, key))

    def sorted_rows(self, query: Query, key: Sort) -> str:
        """Return the address of the table alone in another order."""
        return self._with("/units", _turned(query, key))

    def compare(self) -> str:
        """Return the address of the comparison."""
        return "/compare"

    def pair(self, pair: UnitPair) -> str:
        """Return the place of the changes of a unit."""
        return f"#pair-{pair.number}"


def _turned(query: Query, key: Sort) -> Query:
    return replace(query, sort=key, down=query.sort == key and not query.down, page=1)
