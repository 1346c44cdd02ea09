import Findings

/// A rule's need in a report: `{"kind": "keys", "place": "/cars", "schema": "/properties/cars/primaryKey", "line": 4}`.
extension RuleCost.Need: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["kind": kind, "place": place])
    try origin.encode(to: encoder)
  }
}

/// An array in a report: `{"place": "/cars", "sliced": true}`, or
/// `{"place": "/expenses", "sliced": false, "reason": "counts", "schema": …, "line": 9}`.
extension RuleCost.Collection: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["place": place, "sliced": obstacle == nil, "reason": IfPresent(obstacle?.reason)])
    try obstacle?.origin.encode(to: encoder)
  }
}
