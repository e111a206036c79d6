"""The pydantic models of stored policies, annotations and lists."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    model_validator,
)
from pydantic.alias_generators import to_camel

from retouch.recipes.policy.language.clock import zone_of
from retouch.recipes.policy.language.limit_forms import (
    Exact,
    Folder,
    LimitForm,
    Names,
    RoleNames,
    ScalarValue,
)
from retouch.recipes.policy.language.semantics import STRICT, WITH_LIMITS
from retouch.recipes.policy.language.values import ListType, Outcome, State
from retouch.recipes.policy.resources.roles import OWN_ROLE, ROLES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def _own_role(name: str) -> str:
    if name in ROLES or not OWN_ROLE.fullmatch(name):
        why = "is built in" if name in ROLES else "is not a name of lower-case words joined by -"
        raise ValueError(f"the role {name!r} {why}")
    return name


def undeclared_role(roles: Iterable[str], own: Collection[str]) -> str | None:
    """Return the error about the first role that is neither built in nor declared, None if there is none."""
    known = (*ROLES, *own)
    wrong = next((role for role in roles if role not in known), None)
    if wrong is None:
        return None
    more = 'declare your own under \'roles\' of the annotations: {"roles": {"table": "the name of a table"}}'
    return f"no role {wrong!r}; known roles: {', '.join(known)}; {more}"


def _no_truth_value(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is no number; write 'semantics': 3")  # noqa: TRY004 - pydantic wants this one
    return value


def _zone(name: str) -> str:
    zone_of(name)
    return name


class Open(BaseModel):
    """A model that ignores unknown keys, for example who generated it and when."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel)


class Known(BaseModel):
    """A model that ignores notes (`x-...`, `$...` and the keys in `NOTES`) and refuses all other unknown keys.

    An unknown key could be a condition or a protection that would silently not be enforced.
    """

    NOTES: ClassVar[frozenset[str]] = frozenset()
    model_config = ConfigDict(extra="ignore", alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def _no_unknown_key(cls, value: Any) -> Any:
        known = [field.alias or to_camel(name) for name, field in cls.model_fields.items()]
        for key in cast("dict[str, Any]", value) if isinstance(value, dict) else ():
            if key in known or key in cls.NOTES or key.startswith(("x-", "$")):
                continue
            close = get_close_matches(key, known, n=1, cutoff=0.7)
            more = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(known)}; notes start with 'x-'"
            raise ValueError(f"unknown key {key!r}; {more}")
        return cast("Any", value)


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
    where: list[LimitForm] = Field(default_factory=list[LimitForm])
    unless: list[LimitForm] = Field(default_factory=list[LimitForm])

    @property
    def names_nothing(self) -> bool:
        """True if a list of servers, tools or roles is empty, so that no call is meant."""
        parts = (one.roles for one in (self.paths, self.domains, *(self.lists or ())) if one is not None)
        return [] in (self.server, self.tool, self.roles, *parts)

    @property
    def named_roles(self) -> list[str]:
        """All roles that the condition names."""
        tests = [*self.where, *self.unless]
        tests += [inner for one in tests for inner in one.where]
        found = [*(self.roles or ()), *(one.role for one in tests if one.role is not None)]
        parts = [one for one in (self.paths, self.domains) if one is not None]
        return [*found, *(role for one in (*parts, *(self.lists or ())) for role in one.roles)]

    @model_validator(mode="before")
    @classmethod
    def _no_null(cls, value: Any) -> Any:
        if isinstance(value, dict) and None in cast("dict[str, Any]", value).values():
            raise ValueError("a condition is null; remove it if you do not need it")
        return cast("Any", value)


class RuleForm(Exact):
    """One rule."""

    name: StrictStr = Field(min_length=1)
    description: StrictStr = ""
    principle: StrictStr = ""
    when: WhenForm = Field(alias="if")
    then: Outcome
    reason: StrictStr = ""

    @model_validator(mode="after")
    def _earlier_calls_have_a_server(self) -> RuleForm:
        tests = (*self.when.where, *self.when.unless)
        if any(one.after is not None for one in tests) and not self.when.server:
            raise ValueError(f"rule {self.name!r} has 'after', which needs 'server': the tool is one of this server")
        return self

    @model_validator(mode="after")
    def _totals_only_restrict(self) -> RuleForm:
        """Refuse a rule that would become less strict with every call that is counted."""
        when = self.when
        if not any(one.is_total for one in (*when.where, *when.unless)):
            return self
        if when.paths is not None or when.domains is not None or when.lists is not None:
            raise ValueError(f"rule {self.name!r} counts calls; use 'where' instead of 'paths', 'domains' and 'lists'")
        allows = self.then == "allow"
        for one in [one for one in when.where if one.is_total]:
            self._expect_side(one, rising=not allows)
        for one in [one for one in when.unless if one.is_total]:
            self._expect_side(one, rising=allows)
        return self

    def _expect_side(self, one: LimitForm, *, rising: bool) -> None:
        given = {"atLeast": one.at_least, "above": one.above, "atMost": one.at_most, "below": one.below}
        wanted = ("atLeast", "above") if rising else ("atMost", "below")
        if any(value is not None and key not in wanted for key, value in given.items()):
            more = f"use {' or '.join(map(repr, wanted))}"
            raise ValueError(f"rule {self.name!r} would become less strict with every call; {more} here")


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
            raise ValueError("a condition needs exactly one of 'equals', 'in' and 'is'")
        return self

    @property
    def kind(self) -> Literal["equals", "in", "is"]:
        """The one of the three keys that is given."""
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


class ToolForm(Known):
    """One annotated tool."""

    NOTES = frozenset({"sideEffects", "inputHash", "description", "title", "annotations", "outputSchema", "readOnly"})
    tool_name: StrictStr = Field(min_length=1)
    server_name: StrictStr | None = None
    comment: StrictStr = ""
    args: dict[str, Annotated[SpecForm, BeforeValidator(_as_spec)]]
    input_schema: dict[str, Any] | None = None


class ToolsForm(Known):
    """The tools of one server."""

    NOTES = frozenset({"inputHash", "generatedAt", "description"})
    tools: list[ToolForm]


class AnnotationsForm(Known):
    """A file of annotations."""

    NOTES = frozenset({"generatedAt", "description", "id", "origin"})
    servers: dict[str, ToolsForm]
    roles: dict[Annotated[StrictStr, AfterValidator(_own_role)], StrictStr] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _declares_its_roles(self) -> AnnotationsForm:
        specs = (spec for entry in self.servers.values() for tool in entry.tools for spec in tool.args.values())
        used = (role for spec in specs for roles in (spec.default, *(one.roles for one in spec.when)) for role in roles)
        wrong = undeclared_role(used, self.roles)
        if wrong:
            raise ValueError(wrong)
        return self


class ServerForm(Exact):
    """The declaration of one server."""

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


class ResolvedListForm(Known):
    """The members of a list. A list that a model proposed is refused until the user has accepted it."""

    proposed: StrictBool = False
    values: list[StrictStr]
    manual_additions: list[StrictStr] = Field(default_factory=list)
    manual_removals: list[StrictStr] = Field(default_factory=list)
    resolved_at: StrictStr | None = None
    input_hash: StrictStr | None = None

    @model_validator(mode="after")
    def _is_accepted(self) -> ResolvedListForm:
        if self.proposed:
            raise ValueError(
                "a model proposed the members, and nobody has accepted them: see 'retouch policy lists --accept'"
            )
        return self


class ListsForm(Known):
    """A file of resolved lists."""

    NOTES = frozenset({"generatedAt", "description", "id", "origin"})
    lists: dict[str, ResolvedListForm]


class NoteForm(Exact):
    """A server that was skipped or did not pass."""

    server: StrictStr
    reason: StrictStr


class PolicyForm(Known):
    """A policy file: from the public engine, from this project, or compiled rules only."""

    NOTES = frozenset({"generatedAt", "description", "comment", "id", "origin"})
    OWN: ClassVar[frozenset[str]] = frozenset(
        {
            "servers",
            "working_directory",
            "source_hash",
            "engine_version",
            "verified",
            "verified_hash",
            "skipped",
            "failed",
        }
    )
    semantics: Annotated[Literal[1, 2, 3], BeforeValidator(_no_truth_value)] | None = None
    home: Annotated[StrictStr, Field(pattern=r"^/")] | None = None
    time_zone: Annotated[StrictStr, AfterValidator(_zone)] | None = None
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
    verified_hash: StrictStr | None = None
    skipped: list[NoteForm] = Field(default_factory=list[NoteForm])
    failed: list[NoteForm] = Field(default_factory=list[NoteForm])

    @model_validator(mode="after")
    def _names_its_semantics(self) -> PolicyForm:
        own = sorted(to_camel(name) for name in self.OWN & self.model_fields_set)
        if self.semantics is None and own:
            raise ValueError(f"it has {own[0]!r} but no 'semantics'; add 'semantics': 3")
        empty = [one.name for one in self.rules if one.when.names_nothing]
        if empty and (self.semantics or 1) >= STRICT:
            raise ValueError(f"rule {empty[0]!r} has an empty list of servers, tools or roles, so it would never apply")
        newer = [one.name for one in self.rules if one.when.where or one.when.unless]
        if newer and (self.semantics or 1) < WITH_LIMITS:
            raise ValueError(f"rule {newer[0]!r} has 'where' or 'unless', which need 'semantics': {WITH_LIMITS}")
        timed = [
            one.name for one in self.rules for test in (*one.when.where, *one.when.unless) if test.hours or test.days
        ]
        if timed and self.time_zone is None:
            raise ValueError(f"rule {timed[0]!r} has hours or days, which need 'timeZone', such as 'Europe/Berlin'")
        return self
