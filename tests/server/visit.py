"""A client of either major version of the SDK: connects to `agentmemory mcp`, makes calls, prints what it got.

Run by the interpreter that has that version, so nothing of the project is imported here.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib.metadata import version
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def visit(command: list[str], calls: list[list[Any]]) -> dict[str, Any]:
    """Initialize, list the tools, make the calls; snake or camel case is the version's own affair."""
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = (await session.initialize()).model_dump(by_alias=True, mode="json")
        tools = (await session.list_tools()).model_dump(by_alias=True, mode="json")["tools"]
        got = [(await session.call_tool(name, args)).model_dump(by_alias=True, mode="json") for name, args in calls]
    return {"sdk": version("mcp"), "server": hello["serverInfo"], "tools": [t["name"] for t in tools], "results": got}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps(asyncio.run(visit(asked["command"], asked["calls"]))))
