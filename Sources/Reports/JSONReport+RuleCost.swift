import JSONEvents
import Rules

/// The cost of rules as JSON:
///
///     {"schemas": 12, "states": 20, "namePatterns": 1,
///       "needs": [{"kind": "keys", "place": "/cars", "schema": "/properties/cars/primaryKey", "line": 4}],
///       "collections": [{"place": "/cars", "sliced": true},
///                       {"place": "/expenses", "sliced": false, "reason": "counts", "schema": …, "line": 9}]}
extension JSONReport {
  func write(_ cost: RuleCost, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("schemas", cost.schemas)
    writer.member("states", cost.states)
    writer.member("namePatterns", cost.namePatterns)
    writer.key("needs")
    writer.beginArray()
    for need in cost.needs {
      writer.beginObject()
      writer.member("kind", need.kind.rawValue)
      writer.member("place", need.place)
      write(need.origin, to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.key("collections")
    writer.beginArray()
    for collection in cost.collections {
      writer.beginObject()
      writer.member("place", collection.place)
      writer.key("sliced")
      writer.boolean(collection.obstacle == nil)
      if let obstacle = collection.obstacle {
        writer.member("reason", obstacle.reason.rawValue)
        write(obstacle.origin, to: &writer)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  private func write(_ origin: RuleCost.Origin, to writer: inout JSONEventWriter) {
    writer.member("schema", origin.location)
    writer.member("line", origin.line)
  }
}
