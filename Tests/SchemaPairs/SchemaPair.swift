import TestSupport

/// A random schema and instance as JSON text: equal seeds give equal pairs.
///
/// Four consecutive seeds share a schema. An odd seed has the instance of the even one before it, with small changes.
package struct SchemaPair {
  private var schemaTree: RandomTree
  private var instanceTree: RandomTree

  package var schema: String { schemaTree.text }
  package var instance: String { instanceTree.text }

  package init(seed: UInt64) {
    schemaTree = RandomSchemas.document(seed: seed / 4)
    var values = RandomValues(random: SeededRandom(seed: seed / 2 &+ 0x5EED))
    instanceTree = values.value(depth: 4)
    while instanceTree.size > 40 { instanceTree = values.value(depth: 3) }
    if seed % 2 == 1 {
      for _ in 0...values.below(3) { instanceTree = values.mutated(instanceTree) }
    }
  }

  /// Returns the pair without everything that the failure doesn't need.
  ///
  /// - Parameter fails: Returns whether a simpler pair still fails. It is called a few thousand times.
  package func reduced(while fails: (SchemaPair) -> Bool) -> SchemaPair {
    var smallest = self
    while let next = smallest.simpler.first(where: fails) { smallest = next }
    return smallest
  }

  private var simpler: some Sequence<SchemaPair> {
    let schemas = schemaTree.simpler.lazy.map { tree in
      var pair = self
      pair.schemaTree = tree
      return pair
    }
    let instances = instanceTree.simpler.lazy.map { tree in
      var pair = self
      pair.instanceTree = tree
      return pair
    }
    return [AnySequence(schemas), AnySequence(instances)].joined()
  }
}

extension SchemaPair: CustomStringConvertible {
  package var description: String { "\(schema)\n\(instance)" }
}
