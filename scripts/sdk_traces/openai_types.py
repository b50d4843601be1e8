"""Chat messages and Responses items made of the `openai` package's own types."""

from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.responses import Response, ResponseFunctionToolCall, ResponseFunctionToolCallOutputItem

import json


def _call(call_id, name, arguments):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def main(out):
    asked = ChatCompletionMessage.model_validate({
        "role": "assistant",
        "content": None,
        "tool_calls": [_call("call_1", "get_order", {"order_id": "A-1"}), _call("call_2", "motto", {})],
    })
    completion = ChatCompletion.model_validate({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1767603600, "model": "m-1",
        "choices": [{"index": 0, "finish_reason": "tool_calls",
                     "message": {"role": "assistant", "content": None,
                                 "tool_calls": [_call("call_3", "cancel_order", {"order_id": "A-1"})]}}],
    })
    messages = [
        {"role": "user", "content": "Where is A-1?"},
        asked.model_dump(mode="json", exclude_none=True),
        {"role": "tool", "tool_call_id": "call_2", "content": "Never guess."},
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps({"order_id": "A-1", "status": "shipped"})},
    ]
    with open(out / "openai-chat.jsonl", "w", encoding="utf-8") as file:
        file.write(json.dumps({"messages": messages}) + "\n")
        file.write(completion.model_dump_json() + "\n")

    call = ResponseFunctionToolCall(
        type="function_call", id="fc_1", call_id="call_4", name="get_order", arguments='{"order_id":"A-2"}',
        status="completed",
    )
    output = ResponseFunctionToolCallOutputItem(
        type="function_call_output", id="fco_1", call_id="call_4", output='{"order_id":"A-2","status":"open"}',
        status="completed",
    )
    response = Response.model_validate({
        "id": "resp_1", "object": "response", "created_at": 1767603600, "model": "m-1", "parallel_tool_calls": True,
        "tool_choice": "auto", "tools": [], "status": "completed",
        "output": [
            {"type": "mcp_call", "id": "mcp_1", "server_label": "crm", "name": "get_ticket", "arguments": "{}",
             "output": '{"id":"T-8"}', "error": None, "approval_request_id": None},
            {"type": "function_call", "id": "fc_2", "call_id": "call_5", "name": "refund", "arguments": "{}",
             "status": "completed"},
        ],
    })
    with open(out / "openai-responses.jsonl", "w", encoding="utf-8") as file:
        for item in (call, output, response):
            file.write(item.model_dump_json(exclude_none=True) + "\n")
