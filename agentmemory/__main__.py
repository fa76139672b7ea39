"""The program's door: hooks go to the hot path, MCP to its quick front, everything else to the command line."""

import sys


def main() -> int:
    """Run the command in `sys.argv`; a hook loads nothing but the hot path, the MCP server at first only its door."""
    if len(sys.argv) == 3 and sys.argv[1] == "hook":
        from agentmemory import compiled

        compiled.first()
        from agentmemory.inject import main as hook

        return hook(sys.argv[2])
    if sys.argv[1:] == ["mcp"]:
        from agentmemory.server_front import main as mcp

        return mcp()
    from agentmemory.cli import main as cli

    return cli(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
