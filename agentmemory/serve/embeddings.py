"""OpenAI's embeddings API over the engine's `embed`."""

from __future__ import annotations

import base64
import struct
from typing import Any, Literal

from pydantic import Field

from agentmemory.model.engine import BadPrompt, Embeds, Usage
from agentmemory.model.models import Models
from agentmemory.serve import wire
from agentmemory.serve.ledger import Ledger

MOST_TEXTS = 2048  # of a request, as in the API


class EmbeddingRequest(wire.Sent):
    """`POST /v1/embeddings`."""

    ignored = frozenset({"user"})
    input: str | list[str] | list[int] | list[list[int]] = Field(union_mode="left_to_right")
    model: str = ""
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = Field(default=None, ge=1)

    def texts(self) -> list[str]:
        """What is to be embedded. Raises BadRequest."""
        given = [self.input] if isinstance(self.input, str) else self.input
        texts = [text for text in given if isinstance(text, str)]
        if len(texts) != len(given):
            raise wire.BadRequest("tokens mean something to their own tokenizer only: send text", "input")
        if not 0 < len(texts) <= MOST_TEXTS:
            raise wire.BadRequest(f"input takes 1 to {MOST_TEXTS} texts", "input")
        if not all(texts):
            raise wire.BadRequest("input cannot be an empty text", "input")
        if self.dimensions is not None:
            raise wire.BadRequest("vectors are as long as the model makes them: no dimensions here", "dimensions")
        return texts


def embeddings(models: Models, ledger: Ledger, asked: EmbeddingRequest) -> dict[str, Any]:
    """The body of an answer. Raises BadRequest, EngineError."""
    texts = asked.texts()
    own = models.settings.embedding

    def embedded(engine: Embeds) -> tuple[str, tuple[list[list[float]], Usage]]:
        return engine.name, engine.embedded(texts)

    try:
        if own and asked.model in (own, "default", ""):
            name, (vectors, used) = embedded(models.embedding())
        else:
            name, (vectors, used) = models.ask(asked.model, embedded)
    except BadPrompt as e:
        raise wire.BadRequest(str(e), "input") from e
    ledger.note(name, used)
    shown = _base64 if asked.encoding_format == "base64" else list[float]
    return {
        "object": "list", "model": name, "usage": {"prompt_tokens": used.prompt, "total_tokens": used.prompt},
        "data": [{"object": "embedding", "index": i, "embedding": shown(v)} for i, v in enumerate(vectors)],
    }  # fmt: skip


def _base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
