"""The pydantic models of tests: one entry of `where` or `unless` of a rule."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any, Literal

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

from retouch.recipes.policy.language.clock import hours_of
from retouch.recipes.policy.language.values import DAYS, RUN_PATTERN, Period, Size, SqlKind
from retouch.recipes.policy.resources.paths import nameable
from retouch.recipes.policy.resources.roles import OWN_ROLE, ROLES

MAX_NUMBER = 2**53
MAX_SIZE = 100_000


def _role(name: str) -> str:
    """Check a name of a role. Whether an own role is declared is checked where its declaration is known."""
    if name not in ROLES and not OWN_ROLE.fullmatch(name):
        raise ValueError(f"no role {name!r}; known roles: {', '.join(ROLES)}")
    return name


def _absolute(path: str) -> str:
    if not nameable(path) or not (path.startswith(("/", "~/")) or path == "~"):
        raise ValueError("a directory must start with / or ~")
    return path


def _command(pattern: str) -> str:
    if not RUN_PATTERN.fullmatch(pattern):
        raise ValueError(
            f"no command {pattern!r}: write a program with its first words and options, such as 'git push --force', or "
            "'(reads)' for all that only read"
        )
    return pattern


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _written_hours(text: str) -> str:
    hours_of(text)
    return text


def _day(value: Any) -> Any:
    if isinstance(value, str) and value not in DAYS:
        raise ValueError(f"no day {value!r}; days are {', '.join(DAYS)}")
    return value


Hours = Annotated[StrictStr, AfterValidator(_written_hours)]
Day = Annotated[StrictStr, BeforeValidator(_day)]
RoleName = Annotated[StrictStr, BeforeValidator(lambda value: _role(value) if isinstance(value, str) else value)]
Names = Annotated[list[StrictStr], BeforeValidator(_one_or_more)]
RoleNames = Annotated[list[RoleName], BeforeValidator(_one_or_more)]
RunPattern = Annotated[StrictStr, AfterValidator(_command)]
Folder = Annotated[StrictStr, AfterValidator(_absolute)]
ScalarValue = StrictBool | StrictInt | StrictFloat | StrictStr | None


class Exact(BaseModel):
    """A model that refuses unknown keys: an unknown condition must not be ignored."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


Same = Annotated[StrictStr, Field(min_length=1)]


class LimitForm(Exact):
    """One entry of `where` or `unless` of a rule."""

    role: RoleName | None = None
    arg: Annotated[StrictStr, Field(min_length=1)] | None = None
    within: Annotated[list[Folder], BeforeValidator(_one_or_more)] = Field(default_factory=list)
    domains: Names = Field(default_factory=list)
    emails: Names = Field(default_factory=list)
    among: list[ScalarValue] = Field(default_factory=list, alias="in")
    like: Names = Field(default_factory=list)
    sql: Annotated[list[SqlKind], BeforeValidator(_one_or_more)] = Field(default_factory=list["SqlKind"])
    tables: Names = Field(default_factory=list)
    runs: Annotated[list[RunPattern], BeforeValidator(_one_or_more)] = Field(default_factory=list["RunPattern"])
    at_least: StrictInt | StrictFloat | None = None
    at_most: StrictInt | StrictFloat | None = None
    above: StrictInt | StrictFloat | None = None
    below: StrictInt | StrictFloat | None = None
    count: Literal["calls", "characters", "items", "minutes"] | None = None
    since: Same | None = None
    total_of: Annotated[StrictStr, Field(min_length=1)] | None = Field(default=None, alias="sum")
    per: Period | None = None
    same: Same | list[Same] | dict[Same, Same] | None = None
    after: Names | None = None
    where: list[LimitForm] = Field(default_factory=list["LimitForm"])
    hours: Annotated[list[Hours], BeforeValidator(_one_or_more)] = Field(default_factory=list)
    days: Annotated[list[Day], BeforeValidator(_one_or_more)] = Field(default_factory=list)
    state: Literal["present", "absent"] | None = Field(default=None, alias="is")

    @property
    def bounds(self) -> list[int | float]:
        """The numbers of the test."""
        return [one for one in (self.at_least, self.at_most, self.above, self.below) if one is not None]

    @property
    def is_total(self) -> bool:
        """True if the test is about earlier calls."""
        return self.count == "calls" or self.total_of is not None

    @property
    def is_clock(self) -> bool:
        """True if the test is about the time of the call."""
        return bool(self.hours or self.days) and self.arg is None

    @property
    def same_pairs(self) -> list[tuple[str, str]]:
        """The arguments that have the same value in an earlier call, each with its name there."""
        same = [] if self.same is None else [self.same] if isinstance(self.same, str) else self.same
        return list(same.items()) if isinstance(same, dict) else [(one, one) for one in same]

    @property
    def size(self) -> Size | None:
        """What the numbers of the test count in a value. None if they are about the value itself, or about calls."""
        return None if self.count == "calls" else self.count

    @model_validator(mode="after")
    def _is_one_test(self) -> LimitForm:
        if self.after is not None:
            self._expect_earlier()
        elif self.where:
            raise ValueError("only a test with 'after' has 'where', tests of the earlier call")
        else:
            self._expect_one_subject_and_one_test()
        return self

    def _expect_one_subject_and_one_test(self) -> None:
        clock = bool(self.hours or self.days)
        calls = self.count if self.size is None else None
        subjects = [one for one in (self.role, self.arg, calls, self.total_of) if one is not None]
        if len(subjects) + clock != 1 and not (clock and self.arg is not None and len(subjects) == 1):
            other = "'count': 'calls', 'sum', or 'hours' and 'days'"
            raise ValueError(f"a test needs exactly one of 'role' and 'arg', or instead {other} (which may have 'arg')")
        bounds = self.bounds
        lists = (self.within, self.domains, self.emails, self.among, self.like, self.sql, self.tables, self.runs)
        kinds = [one for one in (*lists, bounds, self.state) if one]
        if clock and (kinds or self.per or self.count):
            raise ValueError("a test of the time has only 'hours' and 'days'")
        if not clock and len(kinds) != 1:
            raise ValueError(
                "a test needs exactly one of 'within', 'domains', 'emails', 'in', 'like', 'sql', 'tables', 'runs', "
                "'is' and numbers"
            )
        self._expect_sizes()
        if self.is_total != (self.per is not None) or (self.is_total and not bounds):
            raise ValueError("calls and a 'sum' need 'per' and a number such as 'above', and only they have 'per'")
        if self.same is not None and not (self.is_total and isinstance(self.same, str)):
            raise ValueError(
                "only a test of earlier calls has 'same': one argument with 'count' or 'sum', one or more with 'after'"
            )
        if self.state is not None and self.arg is None:
            raise ValueError("a test with 'is' needs 'arg', the name of one argument")
        if not all(isfinite(one) and abs(one) <= MAX_NUMBER for one in bounds):
            raise ValueError(f"a bound must be a number of at most {MAX_NUMBER}")
        if any(one.startswith("@") for one in (*self.domains, *self.emails)):
            raise ValueError("a test cannot use a list; use 'lists' of the rule")

    def _expect_earlier(self) -> None:
        """Refuse a test of what was called before that has anything else."""
        more = self.model_fields_set - {"after", "where", "same", "per"}
        if more:
            raise ValueError(f"a test with 'after' has only 'where', 'same' and 'per', not {', '.join(sorted(more))}")
        if not self.after or not all(self.after) or len(set(self.after)) < len(self.after):
            raise ValueError("'after' names one tool, or several different ones")
        if any(one.after is not None or one.is_total or one.is_clock for one in self.where):
            raise ValueError("'where' of a test with 'after' only has tests of the arguments of the earlier call")
        if self.same is not None and not self.same_pairs:
            raise ValueError("'same' is empty; remove it")

    def _expect_sizes(self) -> None:
        """Refuse a size without a bound, and bounds that no size can have."""
        if (self.size == "minutes") != (self.since is not None) or (self.since is not None and self.arg is None):
            raise ValueError("'minutes' are counted from the time in the argument 'since' to the one in 'arg'")
        if self.size is None:
            return
        if not self.bounds or self.is_total or self.per is not None:
            raise ValueError(f"{self.size!r} are counted in one call: they need a number such as 'above', and no 'per'")
        if not all(0 <= one <= MAX_SIZE and one == int(one) for one in self.bounds):
            raise ValueError(f"a bound of a size must be a whole number from 0 to {MAX_SIZE}")
