"""Spans to OTLP/JSON lines: the SDK's own encoder makes the protobuf message, protobuf's own printer the JSON.

OTLP/JSON is protobuf's JSON with two changes of its own: ids in hex where protobuf writes base64, and the numbers of
enums where it writes their names. `write` makes them; `write_protobuf` does not.
"""

import base64
import json

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


def provider(service, version=None):
    """Returns a tracer provider and the exporter that keeps its spans in the order of their ends."""
    attributes = {"service.name": service}
    if version:
        attributes["service.version"] = version
    exporter = InMemorySpanExporter()
    tracers = TracerProvider(resource=Resource(attributes))
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    return tracers, exporter


def _without_paths(value):
    """Replaces stack traces: they name files of the machine that made them."""
    if isinstance(value, dict):
        if value.get("key") == "exception.stacktrace":
            return {"key": "exception.stacktrace", "value": {"stringValue": "(left out)"}}
        return {key: _without_paths(inner) for key, inner in value.items()}
    return [_without_paths(inner) for inner in value] if isinstance(value, list) else value


def _line(batch):
    return json.dumps(_without_paths(batch), ensure_ascii=False, separators=(",", ":")) + "\n"


def _hex(value):
    if isinstance(value, dict):
        return {
            key: base64.b64decode(inner).hex() if key in ("traceId", "spanId", "parentSpanId") else _hex(inner)
            for key, inner in value.items()
        }
    return [_hex(inner) for inner in value] if isinstance(value, list) else value


def write(path, *batches):
    """Writes batches of spans, one a line, as the Collector's file exporter does."""
    with open(path, "w", encoding="utf-8") as file:
        for spans in batches:
            batch = MessageToDict(encode_spans(spans), use_integers_for_enums=True)
            file.write(_line(_hex(batch)))


def write_protobuf(path, *batches):
    """Writes batches of spans as protobuf prints them."""
    with open(path, "w", encoding="utf-8") as file:
        for spans in batches:
            file.write(_line(MessageToDict(encode_spans(spans))))
