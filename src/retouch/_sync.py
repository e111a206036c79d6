"""The verbs as plain functions (internal: import them from `retouch`); `retouch.aio` has the same ones to await."""

from __future__ import annotations

from retouch._lib.run_sync import synchronous
from retouch.engine import verbs

adopt = synchronous(verbs.adopt)
assemble = synchronous(verbs.assemble)
compare = synchronous(verbs.compare)
generate = synchronous(verbs.generate)
regenerate = synchronous(verbs.regenerate)
repaginate = synchronous(verbs.repaginate)
validate = synchronous(verbs.validate)
