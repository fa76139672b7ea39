"""What goes wrong with a request, as the API says it: status, type, field, code."""

from __future__ import annotations

from starlette.responses import JSONResponse

from agentmemory.model.engine import BadPrompt, Closed, PromptTooLong
from agentmemory.model.models import UnknownModel
from agentmemory.serve import wire


def problem(error: Exception) -> JSONResponse:
    """An error as the API has it."""
    said = str(error)
    if isinstance(error, wire.BadRequest):
        return JSONResponse(wire.error(said, "invalid_request_error", error.param), error.status)
    if isinstance(error, PromptTooLong):
        return JSONResponse(wire.error(said, "invalid_request_error", "messages", "context_length_exceeded"), 400)
    if isinstance(error, BadPrompt):
        return JSONResponse(wire.error(said, "invalid_request_error"), 400)
    if isinstance(error, UnknownModel):
        return JSONResponse(wire.error(said, "invalid_request_error", "model", "model_not_found"), 404)
    if isinstance(error, Closed):
        return JSONResponse(wire.error(said, "server_error", code="shutting_down"), 503)
    return JSONResponse(wire.error(said, "server_error"), 500)
