"""A client of the official SDK talks to a server over standard input and output, in either generation of the protocol."""

import asyncio
import sys
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters
from opentelemetry import trace

import otlp

HERE = Path(__file__).resolve().parent


async def talk(out, mode, name):
    tee = [str(HERE / "mcp_tee.py"), str(out / f"mcp-{name}.jsonl"), str(out / f"mcp-{name}-wrapped.jsonl")]
    server = [sys.executable, str(HERE / "mcp_server.py"), str(out / f"mcp-{name}-server-spans.jsonl")]
    parameters = StdioServerParameters(command=sys.executable, args=[*tee, *server])
    async with Client(parameters, mode=mode) as client:
        await client.list_tools()
        await asyncio.gather(
            client.call_tool("get_ticket", {"id": "T-8"}),
            client.call_tool("motto", {}),
            client.call_tool("divide", {"a": 1, "b": 0}),
        )
        try:
            await client.call_tool("nope", {})
        except MCPError:
            pass


def main(out):
    tracers, exporter = otlp.provider("assistant")
    trace.set_tracer_provider(tracers)
    for mode, name in (("legacy", "initialize"), ("auto", "discover")):
        exporter.clear()
        asyncio.run(talk(out, mode, name))
        otlp.write(out / f"mcp-{name}-client-spans.jsonl", exporter.get_finished_spans())
