import ByteStreams
import JSONEvents
import Rules

/// Assigns branches to the records of a collection: those that rules or references require, and all others.
extension PlanCompiler {
  func note(_ branch: Conjunction, _ number: Int, of collection: Int32) {
    branchMarks[collection, default: []].append((branch.holds, number))
  }

  /// Determines the allowed target branches of each reference, and the branches of each collection's first records.
  func settleReferences() throws(CofferError) {
    for (number, condition, pointer) in openReferences {
      let collection = plan.references[Int(number)].collection
      guard plan.collections[Int(collection)].array >= 0 else {
        throw .impossible(
          pointer, "it refers to '\(plan.collections[Int(collection)].pointer)', but the rules describe no records there")
      }
      guard let condition else { continue }
      var branches: UInt64 = 0
      for mark in branchMarks[collection] ?? [] where mark.holds.contains(condition) { branches |= 1 << UInt64(mark.branch) }
      let body = plan.collections[Int(collection)].body & branches
      let heads = plan.collections[Int(collection)].heads
      if !heads.contains(where: { branches >> UInt64($0) & 1 == 1 }) {
        guard body != 0 else {
          throw .impossible(pointer, "no record of '\(plan.collections[Int(collection)].pointer)' satisfies its condition")
        }
        plan.collections[Int(collection)].heads.append(Int32(body.trailingZeroBitCount))
      }
      plan.references[Int(number)].branches = branches
    }
    for index in plan.collections.indices where plan.collections[index].array >= 0 {
      plan.collections[index].least = max(
        plan.collections[index].least, min(plan.collections[index].heads.count, plan.collections[index].most))
    }
    // A collection that no rule describes gets no records.
    for index in plan.collections.indices where plan.collections[index].array < 0 { plan.collections[index].most = 0 }
  }

  /// Puts required branches first. The other records get only branches whose number the rules don't limit.
  func settleHeads(_ items: ItemRules, _ branches: [Conjunction]) {
    var heads: [Int32] = []
    var body: UInt64 = 0
    for (number, branch) in branches.enumerated() where number < 64 {
      let isLimited = items.contains.indices.contains { branch.holds.contains(-1 - $0) && items.contains[$0].maximum != nil }
      if !isLimited { body |= 1 << UInt64(number) }
    }
    for (index, contains) in items.contains.enumerated() {
      let wanted = min(max(contains.minimum, contains.maximum == nil ? 0 : 1), contains.maximum ?? .max, 64)
      guard let branch = branches.firstIndex(where: { $0.holds.contains(-1 - index) }) else { continue }
      heads += Array(repeating: Int32(branch), count: wanted)
    }
    plan.collections[Int(items.collection)].heads = heads
    plan.collections[Int(items.collection)].body = body == 0 ? .max : body
  }
}
