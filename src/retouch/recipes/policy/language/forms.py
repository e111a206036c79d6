"""The shapes of stored policies, annotations and lists, where bytes become values."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_validator,
)
from pydantic.alias_generators import to_camel

from retouch.recipes.policy.language.values import ListType, Outcome, State
from retouch.recipes.policy.resources.paths import nameable
from retouch.recipes.policy.resources.roles import ROLES


def _known_role(name: str) -> str:
    if name not in ROLES:
        raise ValueError(f"no role {name!r}; there are {', '.join(ROLES)}")
    return name


def _absolute(path: str) -> str:
    if not nameable(path) or not (path.startswith(("/", "~/")) or path == "~"):
        raise ValueError("a folder is named from the root or from ~ on")
    return path


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


RoleName = Annotated[StrictStr, BeforeValidator(lambda value: _known_role(value) if isinstance(value, str) else value)]
Names = Annotated[list[StrictStr], BeforeValidator(_one_or_more)]
RoleNames = Annotated[list[RoleName], BeforeValidator(_one_or_more)]
Folder = Annotated[StrictStr, AfterValidator(_absolute)]
ScalarValue = StrictBool | StrictInt | StrictFloat | StrictStr | None


class Exact(BaseModel):
    """A shape that is refused when it says more than is known: an unknown condition must not be dropped."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


class Open(BaseModel):
    """A shape that may carry more, such as what made it and when."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel)


class PathsForm(Exact):
    """`paths` of a rule."""

    roles: RoleNames
    within: Folder


class DomainsForm(Exact):
    """`domains` of a rule."""

    roles: RoleNames
    allowed: list[StrictStr]


class ListForm(Exact):
    """One entry of `lists` of a rule."""

    roles: RoleNames
    allowed: list[StrictStr]
    match_type: ListType


class WhenForm(Exact):
    """`if` of a rule."""

    roles: RoleNames | None = None
    server: Names | None = None
    tool: Names | None = None
    paths: PathsForm | None = None
    domains: DomainsForm | None = None
    lists: list[ListForm] | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_null(cls, value: Any) -> Any:
        if isinstance(value, dict) and None in cast("dict[str, Any]", value).values():
            raise ValueError("a condition is null; leave it out when it is not meant")
        return cast("Any", value)


class RuleForm(Exact):
    """One rule."""

    name: StrictStr = Field(min_length=1)
    description: StrictStr = ""
    principle: StrictStr = ""
    when: WhenForm = Field(alias="if")
    then: Outcome
    reason: StrictStr = ""


class ConditionForm(Exact):
    """The condition of a mode of an argument."""

    arg: StrictStr
    equals: ScalarValue = None
    among: list[ScalarValue] = Field(default_factory=list, alias="in")
    state: State | None = Field(default=None, alias="is")

    @model_validator(mode="after")
    def _exactly_one(self) -> ConditionForm:
        given = self.model_fields_set & {"equals", "among", "state"}
        if len(given) != 1:
            raise ValueError("a condition has exactly one of 'equals', 'in' and 'is'")
        return self

    @property
    def kind(self) -> Literal["equals", "in", "is"]:
        """Which of the three is given."""
        if "equals" in self.model_fields_set:
            return "equals"
        return "in" if "among" in self.model_fields_set else "is"


class ModeForm(Exact):
    """One entry of `when` of an argument."""

    condition: ConditionForm
    roles: RoleNames


class SpecForm(Exact):
    """An argument whose roles depend on other arguments."""

    default: RoleNames
    when: list[ModeForm] = Field(default_factory=list[ModeForm])


def _as_spec(value: Any) -> Any:
    return {"default": cast("Any", value)} if isinstance(value, (str, list)) else value


class ToolForm(Open):
    """One annotated tool."""

    tool_name: StrictStr = Field(min_length=1)
    server_name: StrictStr | None = None
    comment: StrictStr = ""
    args: dict[str, Annotated[SpecForm, BeforeValidator(_as_spec)]]
    input_schema: dict[str, Any] | None = None


class ToolsForm(Open):
    """The tools of one server."""

    tools: list[ToolForm]


class AnnotationsForm(Open):
    """A file of annotations."""

    servers: dict[str, ToolsForm]


class ServerForm(Exact):
    """What is declared about one server."""

    sandboxed: StrictBool = False
    piecewise: StrictBool = False
    introspection: Names = Field(default_factory=list)
    domain_allowlist: list[StrictStr] | None = None
    trusted: StrictBool = False
    default_remote_arg: StrictStr | None = None


class ListDefForm(Open):
    """The definition of a list."""

    name: StrictStr
    type: ListType
    principle: StrictStr = ""
    generation_prompt: StrictStr = ""
    requires_mcp: StrictBool = False
    mcp_server_hint: StrictStr | None = None


class ResolvedListForm(Open):
    """The members of a list."""

    values: list[StrictStr]
    manual_additions: list[StrictStr] = Field(default_factory=list)
    manual_removals: list[StrictStr] = Field(default_factory=list)
    resolved_at: StrictStr | None = None
    input_hash: StrictStr | None = None


class ListsForm(Open):
    """A file of resolved lists."""

    lists: dict[str, ResolvedListForm]


class NoteForm(Exact):
    """A server that was left out or did not pass."""

    server: StrictStr
    reason: StrictStr


class PolicyForm(Open):
    """A policy file: the public engine's, this project's, or compiled rules alone.

    It may say more, but nothing that looks like a slip of the pen: `protectedPath` would protect nothing.
    """

    semantics: Literal[1, 2] = 1
    home: Annotated[StrictStr, Field(pattern=r"^/")] | None = None
    working_directory: Folder | None = None
    allowed_directory: Folder | None = None
    protected_paths: list[Folder] = Field(default_factory=list)
    server_domain_allowlists: dict[str, list[StrictStr]] = Field(default_factory=dict)
    trusted_servers: list[StrictStr] = Field(default_factory=list)
    servers: dict[str, ServerForm] | None = None
    rules: list[RuleForm]
    list_definitions: list[ListDefForm] = Field(default_factory=list[ListDefForm])
    dynamic_lists: dict[str, ResolvedListForm] | None = None
    annotations: AnnotationsForm | None = None
    annotations_ref: Annotated[StrictStr, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")] | None = None
    source_hash: StrictStr | None = None
    constitution_hash: StrictStr | None = None
    input_hash: StrictStr | None = None
    engine_version: StrictStr | None = None
    verified: StrictBool = False
    skipped: list[NoteForm] = Field(default_factory=list[NoteForm])
    failed: list[NoteForm] = Field(default_factory=list[NoteForm])

    @model_validator(mode="before")
    @classmethod
    def _no_slip(cls, value: Any) -> Any:
        known = [to_camel(name) for name in cls.model_fields]
        for key in cast("dict[str, Any]", value) if isinstance(value, dict) else ():
            close = [] if key in known else get_close_matches(key, known, n=1, cutoff=0.85)
            if close:
                raise ValueError(f"no key {key!r}; did you mean {close[0]!r}?")
        return cast("Any", value)
