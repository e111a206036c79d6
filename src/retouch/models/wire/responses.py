"""OpenAI's Responses API, streamed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.models.wire.shapes import object_in, objects_in, string_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.types import Finish
    from retouch.models.wire.received import Received

FINISHES: Mapping[str, Finish] = {
    "completed": "end",
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
}
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


def fold(got: Received, event: str, value: Mapping[str, Any]) -> None:
    """Process one value: a whole response, or one event of a stream."""
    match string_in(value.get("type")) or event:
        case "response.content_part.added":
            if object_in(value.get("part")).get("type") == "output_text":
                got.open_part()
        case "response.output_text.delta":
            got.add_text(string_in(value.get("delta")))
        case "response.refusal.delta":
            got.refusal.append(string_in(value.get("delta")))
        case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
            got.add_reasoning(string_in(value.get("delta")))
        case "response.output_item.added":
            got.tools = got.tools or _is_call(object_in(value.get("item")))
        case kind if kind in _ENDS:
            _response(got, object_in(value.get("response")), streamed=True)
        case "error":
            got.fail(value.get("error") or value)
        case _:
            if value.get("object") == "response":
                _response(got, value, streamed=False)
            else:
                got.fail(value.get("error"))


def _response(got: Received, response: Mapping[str, Any], *, streamed: bool) -> None:
    """Process a whole response. At the end of a stream it repeats the text, which was read already."""
    got.name(response.get("model"), response.get("id"))
    known = streamed and bool(got.parts or got.refusal)
    for item in objects_in(response.get("output")):
        got.tools = got.tools or _is_call(item)
        if not known:
            _item(got, item)
    if usage := object_in(response.get("usage")):
        got.usage = dict(usage)
    got.fail(response.get("error"))
    if response.get("status") == "incomplete":
        got.end(object_in(response.get("incomplete_details")).get("reason") or "incomplete")
    elif response.get("status") == "completed":
        got.end("function_call" if got.tools and not got.parts else "completed")
    got.over = got.over or (streamed and bool(got.finish_raw))


def _item(got: Received, item: Mapping[str, Any]) -> None:
    for part in [*objects_in(item.get("content")), *objects_in(item.get("summary"))]:
        text = string_in(part.get("text"))
        match part.get("type"):
            case "output_text":
                got.open_part()
                got.add_text(text)
            case "refusal":
                got.refusal.append(string_in(part.get("refusal")))
            case "summary_text" | "reasoning_text":
                got.add_reasoning(text)
            case _:
                pass


def _is_call(item: Mapping[str, Any]) -> bool:
    return string_in(item.get("type")).endswith("_call")
