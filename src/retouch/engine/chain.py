"""The hash chain through the rows of a ledger, which detects and locates damage.

The hash of a row covers its columns and the hash of the previous row. A changed row does not match its own hash, but
the following rows still match theirs. So the damage can be located. The head of the ledger is stored apart from the
rows. It names the last row, so that a truncated ledger is detected too.

Rows of version 1 have no hash. The first row that is chained covers all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from json.encoder import encode_basestring_ascii as _string
from typing import TypeAlias

StoredRow: TypeAlias = "tuple[int, str, int | None, str | None, str, str]"
"""A row as it is stored: `seq`, `kind`, `attempt`, `unit`, `at`, and `data` as JSON text."""

_SHOWN = 5  # rows that a message names


def chain_hash(previous: str, row: StoredRow) -> str:
    """Return the hash of a row (64 hexadecimal digits). `previous` is the hash of the row before, "" for the first row.

    Raises:
        TypeError: a column has a type that no ledger stores there.
    """
    seq, kind, attempt, unit, at, data = row
    of_attempt = "null" if attempt is None else int.__repr__(attempt)
    of_unit = "null" if unit is None else _string(unit)
    columns = f"[{_string(previous)}, {int.__repr__(seq)}, {_string(kind)}, {of_attempt}, {of_unit}, {_string(at)}]"
    return sha256(str.encode(columns + "\n" + data)).hexdigest()


@dataclass(frozen=True, kw_only=True)
class DamagedRow:
    """A row that does not match its hash. `first` is the first row that only this hash covers (1 for version 1)."""

    seq: int
    kind: str
    unit: str | None
    first: int

    def __str__(self) -> str:
        unit = f" of {self.unit!r}" if self.unit else ""
        return f"{self.seq} ({self.kind}{unit})" if self.first == self.seq else f"{self.first} to {self.seq}"


@dataclass(frozen=True, kw_only=True)
class LedgerDamage:
    """The damage of a readable ledger: the changed `rows`, and how its end differs from its head."""

    rows: tuple[DamagedRow, ...]
    last_seq: int
    end: str = ""

    @property
    def what(self) -> str:
        """The changed rows and the intact rows, as text."""
        parts: list[str] = []
        if self.rows:
            named = ", ".join(map(str, self.rows[:_SHOWN])) + (", ..." if len(self.rows) > _SHOWN else "")
            many = len(self.rows) > 1 or any(row.first != row.seq for row in self.rows)
            parts.append(f"row{'s' if many else ''} {named} {'were' if many else 'was'} changed")
        if self.end:
            parts.append(self.end)
        others = "all other rows up to" if self.rows else "the rows up to"
        return f"{'; '.join(parts)}; {others} row {self.last_seq} are intact"


class ChainCheck:
    """Follows the chain while rows are read, oldest first."""

    def __init__(self) -> None:
        self.is_chained = False
        self._previous = ""
        self._last = 0
        self._unchained_from: int | None = None
        self._rows: list[DamagedRow] = []

    def take(self, row: StoredRow, stored: str | None) -> bool:
        """Follow the chain over one row and return whether it matches. `stored` is its hash, None in version 1."""
        seq, kind, _, unit, _, _ = row
        found = chain_hash(self._previous, row)
        matches = found == stored or (stored is None and not self.is_chained)
        if stored is None and not self.is_chained:
            self._unchained_from = seq if self._unchained_from is None else self._unchained_from
        elif not matches:
            first = seq if self._unchained_from is None else self._unchained_from
            self._rows.append(DamagedRow(seq=seq, kind=kind, unit=unit, first=first))
        if stored is not None:
            self.is_chained, self._unchained_from = True, None
        self._previous, self._last = found if stored is None else stored, seq
        return matches

    def head(self) -> tuple[int, str]:
        """Return the sequence number and the hash of the last row; (0, "") without one."""
        return self._last, self._previous

    def damage(self, head: tuple[int, str] | None) -> LedgerDamage | None:
        """Return the damage, or None. `head` is the stored head, None in a ledger of version 1."""
        end = ""
        if head is not None and head != self.head():
            lost = head[0] > self._last
            end = f"rows {self._last + 1} to {head[0]} are lost" if lost else "its head does not match its last row"
        if not self._rows and not end:
            return None
        return LedgerDamage(rows=tuple(self._rows), last_seq=self._last, end=end)
