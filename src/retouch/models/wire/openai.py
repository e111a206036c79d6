"""OpenAI's chat completions, streamed or not, as OpenAI and many compatible servers send them.

It also supports variants: reasoning under the names that servers use, Mistral's content in chunks, Groq's usage in
`x_groq`, errors within streams (OpenRouter, Groq), and responses without a finish reason (Snowflake).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.models.wire.received import Counts
from retouch.models.wire.shapes import number_in, object_in, objects_in, string_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.types import Finish
    from retouch.models.wire.received import Received

FINISHES: Mapping[str, Finish] = {
    "stop": "end",
    "length": "length",
    "model_length": "length",  # Mistral: the context window is full
    "content_filter": "filtered",
}


def fold(got: Received, event: str, value: Mapping[str, Any]) -> None:
    """Process one value: a whole completion, or one chunk of a stream."""
    groq = object_in(value.get("x_groq"))
    got.name(value.get("model"), value.get("id"))
    _use(got, object_in(value.get("usage")) or object_in(groq.get("usage")))
    for choice in objects_in(value.get("choices")):
        if number_in(choice.get("index")) == 0:
            _choice(got, choice)
    got.fail(value.get("error") or groq.get("error") or (value if event == "error" else None))


def count(usage: Mapping[str, Any]) -> Counts:
    """Return the tokens. Servers use four names for tokens read from a cache.

    xAI counts reasoning separately from the completion, which its total reveals.
    """
    given = object_in(usage.get("prompt_tokens_details")) or object_in(usage.get("input_tokens_details"))
    taken = object_in(usage.get("completion_tokens_details")) or object_in(usage.get("output_tokens_details"))
    prompt = number_in(usage.get("prompt_tokens"), usage.get("input_tokens"))
    output = number_in(usage.get("completion_tokens"), usage.get("output_tokens"))
    reasoning = number_in(taken.get("reasoning_tokens"), usage.get("reasoning_tokens"))
    apart = reasoning > 0 and number_in(usage.get("total_tokens")) == prompt + output + reasoning
    return Counts(
        input_tokens=prompt,
        output_tokens=output + (reasoning if apart else 0),
        cached_tokens=number_in(
            given.get("cached_tokens"),
            usage.get("prompt_cache_hit_tokens"),  # DeepSeek
            usage.get("num_cached_tokens"),  # Mistral
            usage.get("cached_tokens"),  # Moonshot, Together
        ),
        written_tokens=number_in(given.get("cache_write_tokens"), given.get("cache_creation_tokens")),
        reasoning_tokens=reasoning,
    )


def _choice(got: Received, choice: Mapping[str, Any]) -> None:
    message = object_in(choice.get("delta")) or object_in(
        choice.get("message")
    )  # Perplexity sends both, with the same text
    _content(got, message.get("content"))
    if refusal := string_in(message.get("refusal")):
        got.refusal.append(refusal)
    plain = string_in(message.get("reasoning_content")) or string_in(message.get("reasoning"))
    got.add_reasoning(plain or _details(message.get("reasoning_details")))
    named = string_in(object_in(message.get("function_call")).get("name"))
    got.tools = got.tools or bool(message.get("tool_calls") or named)
    got.end(choice.get("finish_reason"))
    got.fail(choice.get("error"))


def _content(got: Received, content: object) -> None:
    got.add_text(string_in(content))
    for chunk in objects_in(content):
        if chunk.get("type") == "thinking":
            thinking = chunk.get("thinking")
            got.add_reasoning(
                string_in(thinking) or "".join(string_in(one.get("text")) for one in objects_in(thinking))
            )
        else:
            got.add_text(string_in(chunk.get("text")))


def _details(details: object) -> str:
    return "".join(string_in(one.get("text")) or string_in(one.get("summary")) for one in objects_in(details))


def _use(got: Received, usage: Mapping[str, Any]) -> None:
    """Set the usage. Servers that send it with every chunk send the total so far, and some send an empty one at the
    end.
    """
    if any(number_in(one) for one in usage.values()) or not got.usage:
        got.usage = dict(usage)
