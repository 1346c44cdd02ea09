import ByteStreams

@testable import JSONEvents
@testable import Rules

/// A straightforward model of `KeyIndex` that ignores memory limits.
struct KeyModel {
  private var sets: [Int32: Set<KeyValue>] = [:]
  private var scopes: [Set<KeyValue>] = []
  private var references: [(set: Int32, violation: KeyViolation, base: KeyLog.Target?)] = []
  private(set) var violations: [KeyViolation] = []

  mutating func apply(_ log: KeyLog, lines: inout LineCursor) {
    for entry in log.entries {
      switch entry.operation {
      case .claim(let set):
        if !sets[set, default: []].insert(entry.key).inserted {
          violations.append(Self.violation(.duplicate, entry, log, &lines))
        }
      case .claimInScope(let height):
        if !scopes[Int(height)].insert(entry.key).inserted {
          violations.append(Self.violation(.duplicate, entry, log, &lines))
        }
      case .define(let set): sets[set, default: []].insert(entry.key)
      case .refer(let set):
        let base = entry.companion < 0 ? nil : log.companions[Int(entry.companion)].base
        references.append((set, Self.violation(.dangling, entry, log, &lines), base))
      case .openScopes(let count): scopes += Array(repeating: [], count: Int(count))
      case .closeScopes(let height): scopes.removeLast(scopes.count - Int(height))
      }
    }
  }

  mutating func finish() {
    for (set, violation, base) in references where sets[set]?.contains(violation.key) != true {
      if let base, sets[base.set]?.contains(base.key) != true { continue }
      violations.append(violation)
    }
  }

  private static func violation(
    _ kind: KeyViolation.Kind, _ entry: KeyLog.Entry, _ log: KeyLog, _ lines: inout LineCursor
  ) -> KeyViolation {
    let companion = entry.companion < 0 ? nil : log.companions[Int(entry.companion)]
    let place = lines.position(at: entry.offset)
    let isKnown = companion.map { $0.line != 0 } ?? false
    return KeyViolation(
      kind: kind, step: entry.step, key: entry.key, excerpt: companion?.excerpt, container: log.containers[Int(entry.container)],
      index: entry.index, offset: entry.offset, line: isKnown ? companion?.line ?? 0 : place.line,
      column: isKnown ? companion?.column ?? 0 : place.column)
  }
}
