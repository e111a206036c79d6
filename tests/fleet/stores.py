"""Stores that fail on purpose: busy answers, lost answers, in a random but repeatable order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.fleet.store import StoreBusy

if TYPE_CHECKING:
    from random import Random

    from retouch.fleet.store import Store


@dataclass(frozen=True, kw_only=True)
class FaultyStore:
    """A store that answers 503 at a rate, before or after it did the work."""

    store: Store
    random: Random
    rate: float = 0.3

    def put_new(self, name: str, data: bytes) -> bool:
        self._before()
        done = self.store.put_new(name, data)
        self._after()
        return done

    def put(self, name: str, data: bytes) -> None:
        self._before()
        self.store.put(name, data)
        self._after()

    def get(self, name: str) -> bytes | None:
        self._before()
        return self.store.get(name)

    def list(self, prefix: str) -> list[str]:
        self._before()
        return self.store.list(prefix)

    def _before(self) -> None:
        if self.random.random() < self.rate / 2:
            raise StoreBusy("503")

    def _after(self) -> None:
        if self.random.random() < self.rate / 2:
            raise StoreBusy("the answer was lost")
