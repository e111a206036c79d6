"""The search of `locate` inside of a root: symbolic links are not followed, and no program is started."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.locate.diffs.info import DiffInfo
from retouch.locate.evidence import reasons
from retouch.locate.languages.scala import scala
from retouch.locate.opening import refresh_index
from retouch.locate.ranking import rank
from retouch.locate.sources.local import LocalFiles
from retouch.mcp.places import MOST_FILE_BYTES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.locate.values import Candidate


class RegularFiles(LocalFiles):
    """The regular files below a directory that are not too large. Symbolic links are left out."""

    def list(self, pattern: str, skip: Collection[str] = ()) -> Sequence[str]:
        """Return the files that match `pattern`, sorted."""
        return [name for name in super().list(pattern, (*skip, ".git/")) if self._is_usable(name)]

    def commit(self) -> str | None:
        """Return None: git is not started."""
        return None

    def _is_usable(self, name: str) -> bool:
        place = Path(self.root) / name
        return place.is_file() and not place.is_symlink() and place.stat().st_size <= MOST_FILE_BYTES


def candidates(diff: str, source: Path, rtl: str, *, most: int) -> dict[str, Any]:
    """Return the candidates of a diff, best first, as plain data. `rtl` is the text of its Verilog module, or ""."""
    known = DiffInfo.from_text(diff).with_rtl(rtl) if rtl else DiffInfo.from_text(diff)
    index = refresh_index(RegularFiles(source), front=scala())[0]
    found = rank(known, index)
    return {"candidates": [_candidate(one) for one in found[:most]], "files": len(index.files())}


def _candidate(one: Candidate) -> dict[str, Any]:
    span = one.span
    return {
        "file": span.file,
        "name": span.qualified,
        "kind": span.kind,
        "start_line": span.start_line,
        "end_line": span.end_line,
        "probability": one.probability,
        "why": reasons(one),
    }
