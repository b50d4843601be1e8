"""An agent of pydantic-ai with the model that it has for tests, under OpenTelemetry."""

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.test import TestModel

import otlp


def main(out):
    for version in (2, 5):
        tracers, exporter = otlp.provider("orders-agent")
        agent = Agent(TestModel(), name="clerk", retries=2)
        attempts = []

        @agent.tool_plain
        def get_order(order_id: str) -> dict:
            return {"order_id": order_id, "status": "shipped"}

        @agent.tool_plain
        def motto() -> str:
            return "Never guess."

        @agent.tool_plain
        def book_room(nights: int) -> str:
            attempts.append(nights)
            if len(attempts) == 1:
                raise ModelRetry("nights must be at least 1")
            return "booked"

        settings = InstrumentationSettings(tracer_provider=tracers, version=version)
        Agent.instrument_all(settings)
        agent.run_sync("What is the state of A-1009?")

        broken = Agent(TestModel(), name="broken")

        @broken.tool_plain
        def divide(a: int) -> float:
            return a / 0

        try:
            broken.run_sync("Divide.")
        except ZeroDivisionError:
            pass
        otlp.write(out / f"pydantic-ai-v{version}.jsonl", exporter.get_finished_spans())
