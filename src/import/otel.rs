//! OpenTelemetry: OTLP/JSON as the Collector's file exporter writes it, a batch a line, and the dialects of other
//! writers. The scope of ids is the trace, which may go over several files.

use super::Cx;
use super::event::Scope;
use super::otlp::{self, Attr, NANOS, attributes, elements, member};
use super::spans::{self, SpanRecord};
use crate::value::{Object, Value};

/// Reads a record; `format` is the name that sources without a name of their own go by.
pub(super) fn read(record: Value<'_>, format: &'static str, cx: &mut Cx<'_>) {
    let Some(record) = record.as_object() else { return cx.skipped() };
    let mut batch = Batch { format, nth: 0, roots: Vec::new() };
    if let Some(list) = member(record, "resourceSpans", "resource_spans") {
        batch.spans(list, cx);
    } else if let Some(list) = member(record, "resourceLogs", "resource_logs") {
        batch.logs(list, cx);
    } else if record.has("spanId") && record.has("traceId") {
        // A span without its envelope.
        batch.span(record, Origin::default(), cx);
    }
    // A root ends last, so nothing better is to come of what its trace told; a call may still have its span elsewhere.
    for root in std::mem::take(&mut batch.roots) {
        let scope = Scope::Global(cx.string(&root));
        cx.settled(scope);
    }
}

struct Batch {
    format: &'static str,
    /// How many spans there were.
    nth: usize,
    /// Traces whose root was there.
    roots: Vec<String>,
}

/// Who recorded spans.
#[derive(Clone, Copy, Default)]
struct Origin<'t> {
    service: &'t str,
    service_version: &'t str,
    scope: &'t str,
    scope_version: &'t str,
    schema_url: Option<&'t str>,
}

impl<'t> Origin<'t> {
    fn of_resource(group: Object<'t>) -> Self {
        let mut origin = Self { schema_url: schema_url(group), ..Self::default() };
        if let Some(resource) = group.get("resource").and_then(Value::as_object) {
            for (key, value) in attributes(resource) {
                match key {
                    "service.name" => origin.service = value.as_str().unwrap_or_default(),
                    "service.version" => origin.service_version = value.as_str().unwrap_or_default(),
                    _ => {}
                }
            }
        }
        origin
    }

    fn with_scope(self, group: Object<'t>) -> Self {
        let scope = group.get("scope").or_else(|| group.get("instrumentationLibrary"));
        let text = |key| scope.and_then(|scope| scope.as_object()?.get(key)?.as_str()).unwrap_or_default();
        let schema_url = schema_url(group).or(self.schema_url);
        Self { scope: text("name"), scope_version: text("version"), schema_url, ..self }
    }
}

fn schema_url(group: Object<'_>) -> Option<&str> {
    member(group, "schemaUrl", "schema_url")?.as_str().filter(|url| !url.is_empty())
}

impl Batch {
    fn spans(&mut self, list: Value<'_>, cx: &mut Cx<'_>) {
        for resource in elements(Some(list)) {
            let origin = Origin::of_resource(resource);
            let scopes = member(resource, "scopeSpans", "scope_spans")
                .or_else(|| resource.get("instrumentationLibrarySpans"));
            for scope in elements(scopes) {
                let origin = origin.with_scope(scope);
                elements(scope.get("spans")).for_each(|span| self.span(span, origin, cx));
            }
        }
    }

    fn span<'t>(&mut self, span: Object<'t>, origin: Origin<'t>, cx: &mut Cx<'_>) {
        self.nth += 1;
        let trace = otlp::id(member(span, "traceId", "trace_id"), 16);
        let id = otlp::id(member(span, "spanId", "span_id"), 8);
        let parent = otlp::id(member(span, "parentSpanId", "parent_span_id"), 8);
        if parent.is_empty() && !trace.is_empty() && !self.roots.iter().any(|root| *root == *trace) {
            self.roots.push(trace.as_ref().to_owned());
        }
        let time = |name, snake| otlp::units(member(span, name, snake)).and_then(|at| otlp::stamp(at, NANOS));
        let mut record = SpanRecord {
            trace: &trace,
            span: &id,
            parent: &parent,
            name: span.get("name").and_then(Value::as_str).unwrap_or_default(),
            server: is(span.get("kind"), 2, "SPAN_KIND_SERVER"),
            start: time("startTimeUnixNano", "start_time_unix_nano"),
            end: time("endTimeUnixNano", "end_time_unix_nano"),
            service: origin.service,
            service_version: origin.service_version,
            instrumentation: origin.scope,
            instrumentation_version: origin.scope_version,
            schema_url: origin.schema_url,
            events: span.get("events"),
            ..SpanRecord::default()
        };
        if let Some(status) = span.get("status").and_then(Value::as_object) {
            record.status = match status.get("code") {
                code if is(code, 2, "STATUS_CODE_ERROR") => "ERROR",
                code if is(code, 1, "STATUS_CODE_OK") => "OK",
                _ => "",
            };
            record.status_message = status.get("message").and_then(Value::as_str);
        }
        for event in elements(record.events) {
            if event.get("name").and_then(Value::as_str) == Some("exception") {
                for (key, value) in attributes(event) {
                    match key {
                        "exception.type" => record.exception_type = value.as_str(),
                        "exception.message" => record.exception_message = value.as_str(),
                        _ => {}
                    }
                }
            }
        }
        attributes(span).for_each(|(key, value)| record.attributes.add(key, value));
        spans::read(&record, self.format, self.nth, cx);
    }

    fn logs(&mut self, list: Value<'_>, cx: &mut Cx<'_>) {
        for resource in elements(Some(list)) {
            let origin = Origin::of_resource(resource);
            for scope in elements(member(resource, "scopeLogs", "scope_logs")) {
                let origin = origin.with_scope(scope);
                let records = member(scope, "logRecords", "log_records");
                elements(records).for_each(|record| self.log(record, origin, cx));
            }
        }
    }

    /// Reads a log record: messages of model calls were logged before they became attributes, and may be still.
    fn log<'t>(&mut self, log: Object<'t>, origin: Origin<'t>, cx: &mut Cx<'_>) {
        self.nth += 1;
        let mut record = SpanRecord {
            service: origin.service,
            instrumentation: origin.scope,
            end: otlp::units(member(log, "timeUnixNano", "time_unix_nano"))
                .and_then(|at| otlp::stamp(at, NANOS)),
            ..SpanRecord::default()
        };
        let mut name = member(log, "eventName", "event_name").and_then(Value::as_str).unwrap_or_default();
        for (key, value) in attributes(log) {
            record.attributes.add(key, value);
            if key == "event.name" && name.is_empty() {
                name = value.as_str().unwrap_or_default();
            }
        }
        let body =
            log.get("body").and_then(|body| body.as_object()?.get("kvlistValue")?.as_object()?.get("values"));
        for member in elements(body) {
            if let (Some(key), Some(value)) = (member.get("key").and_then(Value::as_str), member.get("value"))
            {
                record.attributes.add(key, Attr::Any(value));
            }
        }
        if !name.starts_with("gen_ai.") {
            return;
        }
        let trace = otlp::id(member(log, "traceId", "trace_id"), 16);
        let id = otlp::id(member(log, "spanId", "span_id"), 8);
        (record.trace, record.span) = (&trace, &id);
        spans::log(&record, name, self.format, self.nth, cx);
    }
}

/// Returns true for an enumeration's number, or its name.
fn is(value: Option<Value<'_>>, number: i64, name: &str) -> bool {
    value.is_some_and(|value| match value.kind() {
        crate::value::Kind::Integer(integer) => integer.as_i64() == Some(number),
        _ => value.as_str() == Some(name),
    })
}
