import ByteStreams
import JSONEvents
package import Rules

/// A small document that is held as text, so that single values can be changed.
///
/// For example:
///
///     var settings = EditableJSON(Array(#"{"theme":"dark","size":1.0}"#.utf8))
///     settings.set(.string("light"), at: ["theme"])       // {"theme":"light","size":1.0}
package struct EditableJSON {
  package private(set) var bytes: [UInt8]

  /// - Parameter bytes: a JSON text.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Sets the value at a path, and creates missing objects. All other values keep their text, except for white space.
  ///
  /// - Returns: false, without changing anything, if the text isn't JSON, or a value other than an object is in the way.
  @discardableResult
  package mutating func set(_ value: JSONValue, at names: [String]) -> Bool {
    guard var tree = tree(), tree.set(value, at: names) else { return false }
    var formatter = PlainFormatter(layout: .compact, at: .start)
    var walk = TreeWalk()
    walk.writeAll(&tree, to: &formatter)
    bytes = formatter.bytes
    return true
  }

  /// Returns true if there is a value at the path.
  package func has(_ names: [String]) -> Bool {
    guard let tree = tree() else { return false }
    var node = tree.root
    for name in names {
      guard node >= 0, tree[node].kind == .object, case .one(let child) = tree.member(MemberName(name), of: node) else {
        return false
      }
      node = child
    }
    return node >= 0
  }

  private func tree() -> ValueTree? {
    var tree = ValueTree()
    var reader = JSONEventReader(MemorySource(bytes))
    do {
      while try reader.next() {
        for index in 0..<reader.batch.count { _ = tree.take(reader.batch[index], of: reader.batch) }
      }
    } catch {
      return nil
    }
    return tree
  }
}
