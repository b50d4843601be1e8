"""A server of the official SDK over standard input and output."""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from opentelemetry import trace
from pydantic import BaseModel

import otlp

server = MCPServer("crm", version="3.2.1")


class Ticket(BaseModel):
    """A ticket."""

    id: str
    state: str


@server.tool()
def get_ticket(id: str) -> Ticket:
    """Reads a ticket."""
    return Ticket(id=id, state="open")


@server.tool(structured_output=False)
def motto() -> str:
    """Says a sentence."""
    return "Never guess."


@server.tool()
def divide(a: int, b: int) -> float:
    """Divides."""
    return a / b


if __name__ == "__main__":
    tracers, exporter = otlp.provider("crm-server", "3.2.1")
    trace.set_tracer_provider(tracers)
    try:
        server.run("stdio")
    finally:
        spans = exporter.get_finished_spans()
        if spans:
            otlp.write(Path(sys.argv[1]), spans)
