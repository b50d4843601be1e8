//! JSON Schemas (draft 2020-12) of the documents, for editors. The readers decide; these complete and explain.
//!
//! What a schema cannot say (that a pointer names something, that bounds are in order) the readers alone report.

/// Of a contract, of either version.
pub const CONTRACT: &str = include_str!("schema/contract.json");

/// Of a bundle, or of a file that is one contract.
pub const BUNDLE: &str = include_str!("schema/bundle.json");

/// Of an adapter input.
pub const INPUT: &str = include_str!("schema/input.json");

/// Of a decision record, core or full.
pub const RECORD: &str = include_str!("schema/record.json");

/// Of a fixture.
pub const FIXTURE: &str = include_str!("schema/fixture.json");

/// Of an evidence document.
pub const EVIDENCE: &str = include_str!("schema/evidence.json");

/// A document that has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// A contract.
    Contract,
    /// Contracts by tool name.
    Bundle,
    /// An adapter input.
    Input,
    /// A decision record.
    Record,
    /// A fixture.
    Fixture,
    /// An evidence document.
    Evidence,
}

impl Schema {
    /// Every document that has a schema.
    pub const ALL: [Self; 6] =
        [Self::Contract, Self::Bundle, Self::Input, Self::Record, Self::Fixture, Self::Evidence];

    /// Returns the name of the document.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contract => "contract",
            Self::Bundle => "bundle",
            Self::Input => "input",
            Self::Record => "record",
            Self::Fixture => "fixture",
            Self::Evidence => "evidence",
        }
    }

    /// Returns what the document is, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Contract => "what a result must contain",
            Self::Bundle => "contracts by tool name",
            Self::Input => "one tool result",
            Self::Record => "one decision",
            Self::Fixture => "an input, a contract and the decision that is expected",
            Self::Evidence => "a result with rules on its single values",
        }
    }

    /// Returns the schema: JSON text, with a newline at its end.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Contract => CONTRACT,
            Self::Bundle => BUNDLE,
            Self::Input => INPUT,
            Self::Record => RECORD,
            Self::Fixture => FIXTURE,
            Self::Evidence => EVIDENCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;
    use crate::contract::Contract;

    fn validator(schema: &str) -> jsonschema::Validator {
        jsonschema::options().offline().build(&serde_json::from_str(schema).unwrap()).unwrap()
    }

    fn golden(name: &str) -> Vec<Json> {
        let path = format!("{}/fixtures/golden/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn every_member_of_a_contract_is_explained() {
        for schema in [CONTRACT, BUNDLE] {
            let schema: Json = serde_json::from_str(schema).unwrap();
            for version in ["portable", "strict"] {
                for (member, part) in schema["$defs"][version]["properties"].as_object().unwrap() {
                    let words = part["description"].as_str().unwrap_or_else(|| panic!("{version}.{member}"));
                    assert!(words.ends_with('.'), "{version}.{member}");
                }
            }
        }
    }

    #[test]
    fn the_contract_schema_agrees_with_the_reader_on_the_golden_contracts() {
        let (schema, bundle) = (validator(CONTRACT), validator(BUNDLE));
        let (mut accepted, mut refused) = (0, 0);
        for case in golden("inputs.jsonl") {
            let contract = &case["contract"];
            let read = Contract::from_json(&serde_json::to_vec(contract).unwrap());
            let valid = schema.is_valid(contract);
            // JSON Schema takes 60.0 for an integer; the reader does not.
            let float = contract.pointer("/freshness/max_age_seconds").is_some_and(Json::is_f64);
            match read {
                Ok(_) => assert!(valid, "{}: {contract}", case["id"]),
                Err(problems) => {
                    let beyond =
                        problems.0.iter().all(|problem| problem.reason != crate::Reason::ContractInvalid);
                    assert!(!valid || float || beyond, "{}: {contract}\n{problems}", case["id"]);
                }
            }
            if contract.get("contracts").is_none() && contract.get("bundle_version").is_none() {
                assert_eq!(bundle.is_valid(contract), valid, "{}", case["id"]);
            }
            *(if valid { &mut accepted } else { &mut refused }) += 1;
        }
        assert!(accepted > 2500 && refused > 100, "{accepted} {refused}");
    }

    #[test]
    fn the_contract_schema_lets_version_2_through_and_names_its_mistakes() {
        let schema = validator(CONTRACT);
        let base = |more: &str| {
            let text = format!(
                r#"{{"schema_version":"2","claim_type":"found","source_ref":["a","b-*"],"freshness":{{"mode":"not_required"}}{more}}}"#
            );
            let json: Json = serde_json::from_str(&text).unwrap();
            (schema.is_valid(&json), Contract::from_json(text.as_bytes()).is_ok())
        };
        for good in [
            "",
            r#","target_ref":"customer:{/arguments/id}","observed_target":"customer:{/id}""#,
            r#","error_when":[{"path":"/ok","equals":false},{"all":[{"path":"","is_empty":true}]}]"#,
            r#","fields":[{"path":"/a","type":"integer","minimum":0,"optional":true}],"claims":{"required":true}"#,
            r#","payload_schema":{"type":"object"},"success_exit_codes":[0,1],"text_format":"json""#,
            r#","required_fields":["a","/b/c"],"allow_empty":["a"],"effect_evidence":{"refs":"x:*"}"#,
        ] {
            assert_eq!(base(good), (true, true), "{good}");
        }
        for bad in [
            r#","requird_fields":["a"]"#,
            r#","error_when":[]"#,
            r#","error_when":[{"path":"/a","equals":1,"exists":true}]"#,
            r#","error_when":[{"path":"a","equals":1}]"#,
            r#","target_ref":"customer:{id}""#,
            r#","fields":[{"path":"/a","type":"int"}]"#,
            r#","claims":{"require":true}"#,
            r#","text_format":"yaml""#,
        ] {
            assert_eq!(base(bad), (false, false), "{bad}");
        }
    }

    #[test]
    fn the_evidence_schema_lets_every_document_through_that_is_ok() {
        let schema = validator(EVIDENCE);
        let mut seen = 0;
        for case in golden("evidence.jsonl") {
            let Ok(document) = serde_json::from_str::<Json>(case["line"].as_str().unwrap()) else { continue };
            if case["exit"] == 0 {
                assert!(schema.is_valid(&document), "{}: {document}", case["id"]);
                seen += 1;
            }
        }
        assert!(seen > 150, "{seen}");
    }

    #[test]
    fn the_schemas_let_every_fixture_through() {
        let (contract, bundle) = (validator(CONTRACT), validator(BUNDLE));
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
        let load = |path: &str| -> Json {
            let text = std::fs::read_to_string(format!("{root}/{path}")).unwrap();
            let arena = bumpalo::Bump::new();
            let limits =
                crate::value::Limits { nodes: 1 << 20, bytes: 1 << 22, ..crate::value::Limits::DEFAULT };
            let document = crate::yaml::load_unique(&text, &arena, &limits).unwrap();
            let mut json = Vec::new();
            crate::canon::Writer::default().write(document.root(), &mut json).unwrap();
            serde_json::from_slice(&json).unwrap()
        };
        assert!(bundle.is_valid(&load("day/bundle.yaml")));
        let mut count = 0;
        for entry in load("reports/contracts.yaml").as_array().unwrap() {
            assert!(contract.is_valid(&entry["contract"]), "{}", entry["id"]);
            count += 1;
        }
        for entry in std::fs::read_dir(format!("{root}/catalogue")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let fixture = load(&format!("catalogue/{name}"));
            if let Some(terms) = fixture.get("contract") {
                let text = serde_json::to_vec(terms).unwrap();
                assert_eq!(contract.is_valid(terms), Contract::from_json(&text).is_ok(), "{name}");
                count += 1;
            }
        }
        assert!(count > 150, "{count}");
    }
}
