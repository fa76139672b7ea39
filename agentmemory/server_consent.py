"""Asking the person behind an MCP client, in both protocol eras; without a way to ask there is no consent.

A client shows the question to the user and brings back the answer; the model never sees or gives it.
"""

from __future__ import annotations

import hashlib
from typing import Any

import mcp_types as mcp
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"agree": {"type": "boolean", "title": "Yes", "description": "Nothing happens without it"}},
    "required": ["agree"],
}


async def ask(
    ctx: ServerRequestContext[Any, Any], params: mcp.CallToolRequestParams, question: str
) -> bool | mcp.InputRequiredResult | None:
    """Whether the user agrees, None when nobody could be asked or answered.

    An `InputRequiredResult` means that the client has to ask first and call again.

    The answer is looked for under a key made from the question, so that consent to one text never serves another.
    """
    can = ctx.session.client_capabilities
    if can is None or can.elicitation is None:
        return None
    request = mcp.ElicitRequestFormParams(message=question, requested_schema=FORM)
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        key = "agree-" + hashlib.blake2b(question.encode(), digest_size=8).hexdigest()
        answer = (params.input_responses or {}).get(key)
        if answer is None:
            return mcp.InputRequiredResult(input_requests={key: mcp.ElicitRequest(params=request)})
    else:
        try:
            answer = await ctx.session.elicit_form(question, FORM, ctx.request_id)
        except MCPError:
            return None
    if not isinstance(answer, mcp.ElicitResult) or answer.action == "cancel":
        return None
    return answer.action == "accept" and (answer.content or {}).get("agree") is True
