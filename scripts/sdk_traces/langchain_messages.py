"""Messages of a LangGraph agent with a scripted model: dumped in three ways, and its runs as LangSmith's tracer has them.

The last line is the fourth way, what `dumps` writes for a class of messages that it does not know.
"""

import json
from typing import Annotated

from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.load import dumps
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_to_dict
from langchain_core.tools import tool
from langchain_core.tracers.base import BaseTracer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langsmith._internal._serde import dumps_json


@tool
def get_weather(city: str) -> dict:
    """Looks up the weather."""
    return {"city": city, "celsius": 7}


@tool(response_format="content_and_artifact")
def search(query: Annotated[str, "what to look for"]) -> tuple[str, dict]:
    """Searches the handbook."""
    return "Refunds within 30 days.", {"hits": 1}


@tool
def divide(a: int, b: int) -> float:
    """Divides."""
    return a / b


class Unknown(ToolMessage):
    """A message class that no registry knows."""

    @classmethod
    def is_lc_serializable(cls):
        return False


class Recorder(BaseTracer):
    """Keeps every run when it ends, as the API lists them."""

    def __init__(self):
        super().__init__()
        self.runs = []

    def _persist_run(self, run):
        pass

    def _end_trace(self, run):
        self.runs.append(run)
        super()._end_trace(run)


def agent():
    def call(name, args, call_id):
        return {"name": name, "args": args, "id": call_id, "type": "tool_call"}

    model = FakeMessagesListChatModel(responses=[
        AIMessage("", id="m1", tool_calls=[
            call("get_weather", {"city": "Bodø"}, "call_1"),
            call("search", {"query": "refund"}, "call_2"),
            call("divide", {"a": 1, "b": 0}, "call_3"),
        ]),
        AIMessage("", id="m2", tool_calls=[call("get_weather", {"city": "Oslo"}, "call_4")]),
        AIMessage("Seven degrees.", id="m3"),
    ])
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([get_weather, search, divide], handle_tool_errors=True))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile()


def main(out):
    tracer = Recorder()
    state = agent().invoke({"messages": [HumanMessage("Weather?", id="h1")]}, {"callbacks": [tracer]})
    messages = state["messages"]
    open_call = messages[:2]
    with open(out / "langchain-messages.jsonl", "w", encoding="utf-8") as file:
        for dump in (
            json.loads(dumps(messages)),
            messages_to_dict(messages),
            [message.model_dump(mode="json") for message in messages],
            json.loads(dumps(open_call)),
            json.loads(dumps([Unknown("x", tool_call_id="call_9")])),
        ):
            file.write(json.dumps({"messages": dump}, ensure_ascii=False) + "\n")
    with open(out / "langsmith-runs.jsonl", "w", encoding="utf-8") as file:
        for run in tracer.runs:
            record = as_record(run)
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def as_record(run):
    """The members of a run that the API lists, with messages as the client serialises them."""
    fields = ("id", "name", "run_type", "start_time", "end_time", "error", "inputs", "outputs", "parent_run_id",
              "trace_id", "dotted_order", "tags")
    record = {name: getattr(run, name, None) for name in fields}
    if record["error"]:
        # The trace names files of the machine that made it.
        record["error"] = record["error"].split("Traceback", 1)[0]
    record["status"] = "error" if run.error else "success"
    return json.loads(dumps_json(record))
