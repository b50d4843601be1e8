"""Messages made of the `anthropic` package's own types."""

import json

from anthropic.types import Message, ToolResultBlockParam, ToolUseBlock


def main(out):
    def message(message_id, blocks):
        return Message.model_validate({
            "id": message_id, "type": "message", "role": "assistant", "model": "claude-x", "content": blocks,
            "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        })

    uses = [
        ToolUseBlock(type="tool_use", id=f"toolu_0{at}", name=name, input=arguments).model_dump(exclude_none=True)
        for at, (name, arguments) in enumerate([("get_order", {"order_id": "A-1"}), ("divide", {"b": 0})], 1)
    ]
    results: list[ToolResultBlockParam] = [
        {"type": "tool_result", "tool_use_id": "toolu_02", "content": "division by zero", "is_error": True},
        {"type": "tool_result", "tool_use_id": "toolu_01",
         "content": [{"type": "text", "text": json.dumps({"order_id": "A-1", "status": "shipped"})}]},
    ]
    asked = message("msg_01", uses)
    last = message("msg_02", [{"type": "tool_use", "id": "toolu_03", "name": "cancel_order", "input": {}}])
    with open(out / "anthropic-messages.jsonl", "w", encoding="utf-8") as file:
        conversation = [
            {"role": "user", "content": "Where is A-1?"},
            {"role": "assistant", "content": json.loads(asked.model_dump_json(exclude_none=True))["content"]},
            {"role": "user", "content": results},
        ]
        file.write(json.dumps({"model": "claude-x", "max_tokens": 64, "messages": conversation}) + "\n")
        file.write(last.model_dump_json() + "\n")
