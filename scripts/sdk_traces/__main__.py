"""Writes traces of agent SDKs into the folder that the first argument names."""

import sys
from importlib import import_module
from pathlib import Path

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
modules = (
    "otel_sdk", "pydantic_agent", "langchain_messages", "openai_types", "anthropic_types", "mcp_stdio",
)
for name in modules:
    import_module(name).main(out)
