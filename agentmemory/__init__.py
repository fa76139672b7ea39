"""A memory for coding agents: one SQLite file of beliefs, read at every prompt."""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.memory import Memory as Memory

__all__ = ["Memory", "__version__"]


def __getattr__(name: str) -> object:
    """`Memory` on first use: a hook process must not pay for it."""
    if name == "Memory":
        from agentmemory.memory import Memory

        return Memory
    raise AttributeError(f"module 'agentmemory' has no attribute {name!r}")
