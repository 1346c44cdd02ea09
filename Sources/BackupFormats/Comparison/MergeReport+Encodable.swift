import Findings

/// The result in a report:
///
///     {"collections": [{"pointer": "/expenses", "title": "expenses", "count": 1203,
///         "inserted": 3, "replaced": 1, "kept": 0, "same": 1197, "onlyInFirst": 2}],
///       "document": {"inserted": 0, "replaced": 1, "kept": 0, "same": 3, "onlyInFirst": 0}, "chosenByCreation": ["settings"],
///       "decidedWhole": ["/tags"]}
///
/// The counts are those of `MergedCollection`; `document` counts the members of the envelope.
extension MergeReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "collections": collections, "document": envelope.counts, "chosenByCreation": chosenByCreation,
      "decidedWhole": decidedWhole,
    ])
  }
}

extension MergedCollection: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["pointer": pointer, "title": title, "count": count])
    try encoder.encode(counts)
  }

  fileprivate var counts: ReportMembers {
    ["inserted": inserted, "replaced": replaced, "kept": kept, "same": same, "onlyInFirst": onlyInFirst]
  }
}
