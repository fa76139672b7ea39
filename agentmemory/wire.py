"""What MCP callers send: the arguments of the eight tools, as pydantic models that also give their schemas."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agentmemory.verbs import FOUND

MAX_WORDS = 2_000  # characters of one statement; revise refuses more
MAX_QUERY = 4_000


class Arguments(BaseModel):
    """Arguments of a tool; an unknown one is an error, not a silence. An optional one that is null was not given."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def without_nulls(cls, given: Any) -> Any:
        """What clients send that fill in every argument of a tool."""
        if not isinstance(given, dict):
            return given
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {name: value for name, value in given.items() if value is not None or name not in optional}

    @classmethod
    def schema_for_clients(cls) -> dict[str, Any]:
        """JSON schema without pydantic's titles: every client pays for each token of it at every session."""
        schema: dict[str, Any] = _untitled(cls.model_json_schema())
        return schema


Words = Annotated[str, Field(min_length=1, max_length=MAX_WORDS)]
Asked = Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]


class Search(Arguments):
    """Arguments of `search`."""

    query: Annotated[Asked, Field(description="What to look for, in plain words or exact names")]
    limit: Annotated[int, Field(ge=1, le=25)] = FOUND
    as_of: Annotated[str, Field(description="ISO 8601 date: what was true at its end")] = ""


class Remember(Arguments):
    """Arguments of `remember`."""

    text: Annotated[Words, Field(description="One self-contained statement; commands, paths, names letter for letter")]
    kind: Literal["fact", "decision", "preference", "procedure"] = "fact"
    when: Annotated[str, Field(description="What calls for it: verbs, tools, files", max_length=MAX_WORDS)] = ""
    everywhere: Annotated[bool, Field(description="In all projects, not only this one")] = False
    replaces: Annotated[int | None, Field(description="Id of the memory that it makes untrue")] = None


class Lock(Arguments):
    """Arguments of `lock`."""

    text: Annotated[Words, Field(description="The rule, in the user's own words")]
    when: Annotated[str, Field(description="What calls for it: verbs, tools, files", max_length=MAX_WORDS)] = ""
    everywhere: bool = False


class Wonder(Arguments):
    """Arguments of `wonder`."""

    topic: Asked


class Reason(Arguments):
    """Arguments of `reason`."""

    question: Asked


class Feedback(Arguments):
    """Arguments of `feedback`."""

    id: Annotated[int, Field(description="Id of a belief")]
    outcome: Literal["helped", "wrong", "outdated"]
    detail: Annotated[str, Field(description="What showed it", max_length=MAX_WORDS)] = ""


class Forget(Arguments):
    """Arguments of `forget`."""

    id: Annotated[int, Field(description="Id of a belief")]


class Stats(Arguments):
    """`stats` takes no arguments."""


def sentence(error: ValidationError) -> str:
    """What is wrong with the arguments, in one sentence."""
    parts = [f"`{'.'.join(map(str, e['loc'])) or 'arguments'}`: {e['msg'][0].lower()}{e['msg'][1:]}"
             for e in error.errors()]  # fmt: skip
    return "The arguments do not fit: " + "; ".join(parts) + "."


def _untitled(schema: Any) -> Any:
    """The schema without `title` and with the docstring of the model left out."""
    if not isinstance(schema, dict):
        return schema
    out = {key: _untitled(value) for key, value in schema.items() if key != "title"}
    if out.get("type") == "object":
        out.pop("description", None)
    return out
