import JSONEvents
import Rules

/// Which branches the records of a collection are of: those that rules or references ask for, and all others.
extension PlanCompiler {
  func note(_ branch: Conjunction, _ number: Int, of collection: Int32) {
    branchMarks[collection, default: []].append((branch.holds, number))
  }

  /// Says of every reference which branches its records may be of, and of every collection which its first records are of.
  func settleReferences() throws(SyntheticBackupError) {
    for (number, condition, pointer) in openReferences {
      let collection = plan.references[Int(number)].collection
      guard plan.collections[Int(collection)].array >= 0 else {
        throw .impossible(
          pointer, "it refers to '\(plan.collections[Int(collection)].pointer)', where the rules describe no records")
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
    // What nothing describes is nothing to write.
    for index in plan.collections.indices where plan.collections[index].array < 0 { plan.collections[index].most = 0 }
  }

  /// Records that must be there stand first; others are only such as may be there any number of times.
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
