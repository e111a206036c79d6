"""The supported providers, and parsing of model specs such as `openai:NAME@http://127.0.0.1:8000/v1?tries=3`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from retouch.errors import BadInput, MissingTool
from retouch.models.secrets import can_be_sent, environment_key, without_password
from retouch.models.tuning import CHANGING, Tuning, tuning_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_OPENAI = "openai.com"
_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com")
_HOST = re.compile(r"[\w.-]+:\d+(?:/|$)|localhost(?:/|$)")  # an address without its scheme
_OPENAI_MODEL = re.compile(r"(?:ft:)?(?:gpt-(?!oss)|chatgpt|codex|o\d)")  # gpt-oss runs anywhere


@dataclass(frozen=True, kw_only=True)
class Provider:
    """One provider: the environment variables of its key and address, and the packages that it needs.

    - `key_variables`: tried in order. A server on this machine needs no key.
    - `home`: the address if neither the spec nor `url_variable` has one, "" for the client library's default.
    - `dialect`: the protocol of its responses.
    - `example_address`: the form of an address that every account has for itself, so that one must be given. "" if the
      provider has a common one.
    - `family`: the provider whose prices, caches and models these are, if it has another name.
    - `tested`: the conformance suite has recorded responses of the provider. Support for other endpoints is
      experimental.
    """

    name: str
    key_variables: tuple[str, ...]
    url_variable: str
    extra: str
    modules: tuple[str, ...]
    needs_key: bool = True
    home: str = ""
    dialect: str = "openai"
    example_address: str = ""
    family: str = ""
    tested: bool = False

    @property
    def key(self) -> str:
        """The key from the environment, or ""."""
        return environment_key(self.key_variables)

    @property
    def installed(self) -> bool:
        """Whether its client libraries are installed."""
        return all(_installed(module) for module in self.modules)

    @property
    def missing(self) -> str:
        """The reason why this provider cannot be used here, with the next step, or ""."""
        if not self.installed:
            return f'not installed: pip install "retouch[{self.extra}]"'
        if not can_be_sent(self.key):
            return f"no key: {' or '.join(self.key_variables)} contains a line end or another invalid character"
        if self.example_address and not os.environ.get(self.url_variable):
            return f"no address: set {self.url_variable}, or write NAME@URL"
        return "" if self.key or not self.needs_key else f"no key: set {' or '.join(self.key_variables)}"


def _chat(name: str, home: str = "", *, key: str = "", url: str = "", tested: bool = True, **more: Any) -> Provider:
    """Return a provider with OpenAI's protocol, at its own address if it has a `home`.

    `key` and `url` are its environment variables, if they are not called after it.
    """
    return Provider(
        name=name,
        key_variables=(key or f"{name.upper()}_API_KEY",),
        url_variable=url or f"{name.upper()}_BASE_URL",
        extra="llm",
        modules=("pydantic_ai", "openai", "genai_prices"),
        home=home,
        tested=tested,
        **more,
    )


PROVIDERS: Mapping[str, Provider] = {
    one.name: one
    for one in (
        Provider(
            name="anthropic",
            key_variables=("ANTHROPIC_API_KEY",),
            url_variable="ANTHROPIC_BASE_URL",
            extra="llm",
            modules=("pydantic_ai", "anthropic", "genai_prices"),
            dialect="anthropic",
            tested=True,
        ),
        _chat("openai"),
        _chat(
            "openai-responses",
            key="OPENAI_API_KEY",
            url="OPENAI_BASE_URL",
            dialect="responses",
            family="openai",
            tested=False,
        ),
        Provider(
            name="google",
            key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            url_variable="GOOGLE_GEMINI_BASE_URL",
            extra="google",
            modules=("pydantic_ai", "google.genai"),
            dialect="google",
            tested=True,
        ),
        _chat("ollama", "http://127.0.0.1:11434/v1", needs_key=False, tested=False),
        _chat("openrouter", "https://openrouter.ai/api/v1"),
        _chat("groq", "https://api.groq.com/openai/v1"),
        _chat("mistral", "https://api.mistral.ai/v1"),
        _chat("deepseek", "https://api.deepseek.com"),
        _chat("litellm", "http://127.0.0.1:4000", needs_key=False, tested=False),
        _chat(
            "azure",
            key="AZURE_OPENAI_API_KEY",
            url="AZURE_OPENAI_BASE_URL",
            example_address="https://RESOURCE.openai.azure.com/openai/v1",
            tested=False,
        ),
        Provider(  # its Converse API: boto3 finds credentials and address
            name="bedrock",
            key_variables=("AWS_BEARER_TOKEN_BEDROCK",),
            url_variable="AWS_BEDROCK_BASE_URL",
            extra="bedrock",
            modules=("pydantic_ai", "boto3", "genai_prices"),
            needs_key=False,
            dialect="bedrock",
        ),
        _chat(
            "vertex",
            key="CLOUDSDK_AUTH_ACCESS_TOKEN",
            url="VERTEX_BASE_URL",
            example_address="https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION/endpoints/openapi",
            tested=False,
        ),
    )
}

_BEDROCK_CHAT = _chat(
    "bedrock",
    key="AWS_BEARER_TOKEN_BEDROCK",
    url="AWS_BEDROCK_BASE_URL",
    example_address="https://bedrock-runtime.REGION.amazonaws.com/v1",
    tested=False,
)
"""Bedrock with an address: OpenAI's chat protocol there."""


@dataclass(frozen=True, kw_only=True)
class ModelEndpoint:
    """A model and its address. `url` is "" for the provider's own address."""

    provider: Provider
    model: str
    url: str = ""
    tuning: Tuning = Tuning()

    @property
    def address(self) -> str | None:
        """The server's address from the spec, the environment or `home`, or None for the client library's default."""
        return self.url or os.environ.get(self.provider.url_variable, "").strip() or self.provider.home or None

    @property
    def family(self) -> str:
        """The provider whose prices, caches and models these are."""
        return self.provider.family or self.provider.name

    @property
    def of_openai(self) -> bool:
        """Whether OpenAI answers, or a server in its place. Other servers support fewer parameters."""
        if self.family != "openai":
            return False
        host = urlsplit(self.address or "").hostname or _OPENAI
        return host.endswith(_OPENAI) or (not self.url and _OPENAI_MODEL.match(self.model) is not None)

    @property
    def caps_completion(self) -> bool:
        """Whether the output cap is sent as `max_completion_tokens`, which many servers ignore and Azure requires."""
        host = urlsplit(self.address or "").hostname or ""
        return self.of_openai or self.provider.name == "azure" or host.endswith(_AZURE)

    @property
    def is_own_server(self) -> bool:
        """Whether a server of the user's answers, such as llama.cpp, vLLM, Ollama or a proxy, and no known provider."""
        return self.provider.name in {"ollama", "litellm"} or (self.family == "openai" and not self.caps_completion)

    @property
    def spec(self) -> str:
        """The spec without limits, but with all parameters that change answers: the name of the model in the ledger."""
        named = f"{self.provider.name}:{self.model}" + (f"@{self.url}" if self.url else "")
        given = {name: getattr(self.tuning, name) for name in CHANGING}
        changed = "&".join(
            f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in given.items()
            if value is not None
        )
        return f"{named}?{changed}" if changed else named

    def with_limit(self, limit: str) -> str:
        """Return the spec with a further limit, such as `idle_s=600`, for a hint."""
        return self.spec + ("&" if "?" in self.spec else "?") + limit


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its parent package is not installed
        return False


def endpoint_of(scheme: str, rest: str) -> ModelEndpoint:
    """Return the endpoint of a spec such as `openai:NAME@URL?tries=3`.

    Raises:
        BadInput: it names no model, or a limit is invalid.
    """
    provider = PROVIDERS[scheme]
    named, _, query = rest.partition("?")
    model, url = name_and_address(named)
    if not model:
        raise BadInput(
            f"{scheme!r} names a provider but no model", hint=f"Write it as '{scheme}:NAME', with the model's name."
        )
    name, _, host = model.rpartition("@")
    if name and _HOST.match(host):
        raise BadInput(f"{host!r} is not a server address", hint=f"Write '{scheme}:{name}@http://{host}'.")
    if (plain := without_password(url)) != url:
        raise BadInput(
            f"the address {plain!r} contains a password, which would be written into every run",
            hint=f"Set {provider.key_variables[0]}, or put the address into {provider.url_variable}.",
        )
    if scheme == "bedrock" and (url or os.environ.get(provider.url_variable)):
        provider = _BEDROCK_CHAT
    tuning = tuning_of(query)
    if (tuning.price_in is None) != (tuning.price_out is None):
        raise BadInput("price_in and price_out belong together", hint="Write '?price_in=0.5&price_out=1.5'.")
    return ModelEndpoint(provider=provider, model=model, url=url.rstrip("/"), tuning=tuning)


def name_and_address(named: str) -> tuple[str, str]:
    """Return a model's name and its server's address, or "". Names can contain `@` and `/`.

    assert ("org/model@v2", "http://localhost:8000/v1") == name_and_address("org/model@v2@http://localhost:8000/v1")
    """
    place = max(named.rfind("@http://"), named.rfind("@https://"))
    return (named, "") if place < 0 else (named[:place], named[place + 1 :])


def expect_usable(endpoint: ModelEndpoint) -> None:
    """Check that a model can be called.

    Raises:
        BadInput: the key is missing or invalid.
        MissingTool: the extra is not installed.
    """
    provider = endpoint.provider
    variables = " or ".join(provider.key_variables)
    if not provider.installed:
        raise MissingTool(
            f"{endpoint.spec!r} needs client libraries that are not installed",
            hint=f'Install them: pip install "retouch[{provider.extra}]"',
        )
    if not can_be_sent(provider.key):
        raise BadInput(
            f"the key in {variables} contains a line end or another character that no key has",
            hint="Set the variable to the key as the provider shows it, without quotes or line ends around it.",
        )
    if provider.example_address and not endpoint.address:
        raise BadInput(
            f"{endpoint.spec!r} has no address",
            hint=f"Write '{endpoint.spec}@{provider.example_address}', or set {provider.url_variable}.",
        )
    elsewhere = (endpoint.url and not provider.example_address) or (
        endpoint.family == "openai" and os.environ.get(provider.url_variable)
    )
    if provider.needs_key and not provider.key and not elsewhere:
        raise BadInput(
            f"{endpoint.spec!r} needs a key, and {variables} is not set",
            hint=f"Set the environment variable: export {provider.key_variables[0]}=...",
        )
