"""Prints what the real server says: `data/mcp.json`, or with `--table` the table of tools in docs/mcp.md.

python -m agentmemory.server_answers > agentmemory/data/mcp.json
"""

from __future__ import annotations

import json
import sys
from typing import Any

import anyio
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from agentmemory import __version__
from agentmemory.server import serve

#: what clients ask while they connect
ASKED = ("server/discover", "tools/list", "ping")
HINTS = {
    "readOnlyHint": "reads only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open world",
}
CLIENT = {"name": "any", "version": "0"}


def answers() -> dict[str, Any]:
    """The server's results by protocol version and method, as they go over the wire."""
    results = {version: _handshake_era(version) for version in HANDSHAKE_PROTOCOL_VERSIONS}
    results |= {version: _enveloped_era(version) for version in MODERN_PROTOCOL_VERSIONS}
    return {"release": __version__, "newest_handshake": HANDSHAKE_PROTOCOL_VERSIONS[-1], "results": results}


def _handshake_era(version: str) -> dict[str, Any]:
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    asked: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
    ]
    return _ask([*asked, *({"id": n, "method": method} for n, method in enumerate(ASKED, 1))], ("initialize", *ASKED))


def _enveloped_era(version: str) -> dict[str, Any]:
    key = "io.modelcontextprotocol/"
    meta = {key + "protocolVersion": version, key + "clientInfo": CLIENT, key + "clientCapabilities": {}}
    return _ask([{"id": n, "method": method, "params": {"_meta": meta}} for n, method in enumerate(ASKED)], ASKED)


def _ask(messages: list[dict[str, Any]], methods: tuple[str, ...]) -> dict[str, Any]:
    """What the server says to these lines, by method; a method that it refuses is left out."""
    said: list[dict[str, Any]] = []

    async def lines() -> Any:
        for message in messages:
            yield json.dumps({"jsonrpc": "2.0", **message}) + "\n"
            before = len(said)
            while "id" in message and len(said) == before:
                await anyio.sleep(0.001)

    serve(lines(), lambda text: said.append(json.loads(text)))
    replies = {reply["id"]: reply for reply in said}
    return {method: replies[n]["result"] for n, method in enumerate(methods) if "result" in replies[n]}


def table(answers: dict[str, Any]) -> str:
    """The tools as a table in Markdown, from prepared answers; optional arguments carry a question mark."""
    lines = ["| tool | arguments | what it does | hints |", "|---|---|---|---|"]
    for tool in answers["results"][MODERN_PROTOCOL_VERSIONS[-1]]["tools/list"]["tools"]:
        schema = tool["inputSchema"]
        needed = schema.get("required", [])
        takes = [
            f"`{name}`" if name in needed else f"`{name}`?"
            for name in sorted(schema["properties"], key=lambda n: (n not in needed, n))
        ]
        hints = [says for hint, says in HINTS.items() if tool["annotations"][hint]]
        cells = (f"`{tool['name']}`", ", ".join(takes), tool["description"], ", ".join(hints))
        lines.append("| " + " | ".join(cell or "-" for cell in cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    said = answers()
    print(table(said) if "--table" in sys.argv else json.dumps(said, indent=1, ensure_ascii=False, sort_keys=True))
