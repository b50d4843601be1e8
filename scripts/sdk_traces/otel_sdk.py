"""Spans of the OpenTelemetry SDK with the attributes of the conventions for generative AI, set by hand."""

import json

from opentelemetry.trace import SpanKind, Status, StatusCode

import otlp


def main(out):
    tracers, exporter = otlp.provider("orders-agent")
    tracer = tracers.get_tracer("acme.agent", "0.3.0", schema_url="https://opentelemetry.io/schemas/1.38.0")

    def tool(name, call_id, arguments):
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.arguments": json.dumps(arguments),
        }
        return tracer.start_as_current_span(f"execute_tool {name}", kind=SpanKind.INTERNAL, attributes=attributes)

    with tracer.start_as_current_span("invoke_agent clerk", attributes={"gen_ai.operation.name": "invoke_agent"}):
        with tool("get_order", "call_1", {"order_id": "A-1009"}) as span:
            span.set_attribute("gen_ai.tool.call.result", json.dumps({"order_id": "A-1009", "status": "shipped"}))
        with tool("list_slots", "call_2", {}) as span:
            span.set_attribute("gen_ai.tool.call.result", ["09:00", "13:30"])
        try:
            with tool("get_customer", "call_3", {"id": "C-7"}) as span:
                span.set_attribute("error.type", "TimeoutError")
                raise TimeoutError("upstream did not answer in 3s")
        except TimeoutError:
            pass
        with tool("send_receipt", "call_4", {}):
            pass
        with tracer.start_as_current_span("chat m-1", kind=SpanKind.CLIENT) as span:
            call = {"type": "tool_call", "id": "call_1", "name": "get_order", "arguments": {"order_id": "A-1009"}}
            response = {"type": "tool_call_response", "id": "call_1", "response": {"status": "shipped"}}
            late = {"type": "tool_call", "id": "call_5", "name": "cancel_order", "arguments": {}}
            span.set_attributes({
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": json.dumps(
                    [{"role": "assistant", "parts": [call]}, {"role": "tool", "parts": [response]}]
                ),
                "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [late]}]),
            })
        with tool("refund", "call_6", {"amount": 12}) as span:
            span.set_status(Status(StatusCode.ERROR, "card declined"))

    spans = exporter.get_finished_spans()
    otlp.write(out / "otel-sdk.jsonl", spans[:3], spans[3:])
    otlp.write_protobuf(out / "otel-sdk-protobuf.jsonl", spans[:3], spans[3:])
