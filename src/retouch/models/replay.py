"""`replay:FILE`: returns recorded replies, by the hash of the whole request. They cost nothing."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from retouch._lib.frozen import with_fields
from retouch.engine.types import RECORDED_COST, request_hash
from retouch.errors import BadInput, NoRecording
from retouch.models.named import NamedModel
from retouch.models.offline import tell
from retouch.models.recordings import read_recordings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from retouch.engine.recipe import ModelSpec
    from retouch.engine.types import Model, OnEvent, Reply, Request
    from retouch.models.recordings import Recording


def open_replay(spec: ModelSpec) -> Model:
    """Return a model with the recorded replies of the file in `spec`.

    Raises:
        BadInput: no file is named, or it cannot be read.
        BrokenFile: a line of it is not a recording.
    """
    if not spec.rest:
        raise BadInput("the model 'replay' needs a file of recorded replies", hint="Write it as 'replay:FILE'.")
    return replay(spec.rest)


def replay(path: str | PathLike[str]) -> Model:
    """Return a model with the recorded replies of the file `path`.

    A request that was recorded several times gets its replies in order, then the last one repeatedly. Their cost is 0;
    what they had cost when they were recorded is in their `usage`, under `recorded_cost`.

    Raises:
        BadInput: the file cannot be read.
        BrokenFile: a line of it is not a recording.
        NoRecording: from a call, if the file has no reply for the request.
    """
    recordings = read_recordings(path)
    replies: dict[str, list[Reply]] = defaultdict(list)
    for line in recordings:
        replies[line.request_hash].append(_free_of_charge(line.reply))
    replies_given: dict[str, int] = defaultdict(int)

    async def model(request: Request, on_event: OnEvent | None) -> Reply:
        key = request_hash(request)
        if key not in replies:
            raise _missing(path, key, request, recordings)
        reply = replies[key][min(replies_given[key], len(replies[key]) - 1)]
        replies_given[key] += 1
        tell(on_event, reply.text)
        return reply

    return NamedModel(name="replay", answer=model)


def _free_of_charge(reply: Reply) -> Reply:
    earlier = {RECORDED_COST: reply.cost} if reply.cost else {}
    return with_fields(reply, cost=0.0, usage={**reply.usage, **earlier})


def _missing(path: str | PathLike[str], key: str, request: Request, recordings: Iterable[Recording]) -> NoRecording:
    unit, page = request.prompt.key
    pages = {(line.unit, line.page) for line in recordings}
    seen = f"{str(path)!r} has no reply for page {page} of {unit!r} with the request {key}"
    again = "Record it again with the current prompts."
    if (unit, page) in pages:
        others = sorted({line.request_hash for line in recordings if (line.unit, line.page) == (unit, page)})
        return NoRecording(
            f"{seen}; the prompt has changed, because the page is recorded under {', '.join(others)}", hint=again
        )
    of_unit = sorted(other for name, other in pages if name == unit)
    if of_unit:
        return NoRecording(f"{seen}; of {unit!r} it has the pages {', '.join(map(str, of_unit))}", hint=again)
    units = sorted({name for name, _ in pages})
    known = ", ".join(map(repr, units[:10])) + (f" and {len(units) - 10} more" if len(units) > 10 else "")
    return NoRecording(f"{seen}; it has {known or 'no replies at all'}", hint=again)
