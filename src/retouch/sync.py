"""The engine's verbs as plain functions; `retouch.aio` has the same ones to await."""

from __future__ import annotations

from retouch._lib.run_sync import synchronous
from retouch.engine import loop

adopt = synchronous(loop.adopt)
assemble = synchronous(loop.assemble)
generate = synchronous(loop.generate)
regenerate = synchronous(loop.regenerate)
repaginate = synchronous(loop.repaginate)
validate = synchronous(loop.validate)
