//! Tool names that carry a server: `mcp__<server>__<tool>`, as several agents write them.

/// Returns the server of a name, up to the first `__` after the prefix.
pub(super) fn mcp_server(name: &str) -> Option<&str> {
    let (server, _) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty()).then_some(server)
}

#[cfg(test)]
mod tests {
    use super::mcp_server;

    #[test]
    fn finds_the_server_and_nothing_else() {
        for (name, server) in [
            ("mcp__crm__get_ticket", Some("crm")),
            ("mcp__crm__", Some("crm")),
            ("mcp__a_b__c__d", Some("a_b")),
            ("mcp____get", None),
            ("mcp__crm", None),
            ("get_ticket", None),
            ("xmcp__crm__get", None),
        ] {
            assert_eq!(mcp_server(name), server, "{name}");
        }
    }
}
