"""The files of a project besides its types: the MSBuild project, and the index of the endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.writing.schema_md import code, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.csharp.ir import Endpoint, Served

_CSPROJ = """\
<Project Sdk="Microsoft.NET.Sdk">

  <PropertyGroup>
    <TargetFramework>net9.0</TargetFramework>
    <Nullable>enable</Nullable>
    <ImplicitUsings>disable</ImplicitUsings>
    <RootNamespace>{namespace}</RootNamespace>
    <GenerateDocumentationFile>true</GenerateDocumentationFile>
    <NoWarn>$(NoWarn);CS1591</NoWarn>
  </PropertyGroup>

</Project>
"""


def project_files(project: Endpoint) -> Mapping[str, str]:
    """Return the .csproj file, and endpoints.md: the type that each endpoint returns or receives."""
    name = project.namespace.partition(".")[0]
    index = "\n".join(_index(project)) + "\n"
    return {f"{name}.csproj": _CSPROJ.format(namespace=project.namespace), "endpoints.md": index}


def part_of(served: Served) -> str:
    """Return which part of an endpoint a type is for, such as `response` or `query`."""
    return served.part or ("response" if served.status else "request")


def _index(project: Endpoint) -> Iterator[str]:
    yield from (f"# Endpoints of {code(project.namespace)}", "")
    yield from ("| endpoint | part | status | media type | C# type |", "|---|---|---|---|---|")
    for one in project.served:
        what = code(one.type) if one.type else f"not read: {text(one.error)}"
        yield f"| {code(one.endpoint)} | {part_of(one)} | {one.status} | {text(one.media_type)} | {what} |"
