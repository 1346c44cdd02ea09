import ByteStreams
import JSONEvents
import Rules

/// Compiles objects: their branches, and the members of each branch.
extension PlanCompiler {
  /// Branch sets are the bits of one word.
  private static let branchLimit = 64
  /// The default percentages of records in which an optional member is missing and a nullable one is `null`.
  private static let usuallyAbsent = 20
  private static let usuallyNull = 3

  func object(_ alternatives: [Conjunction], _ context: Context, items: ItemRules = ItemRules()) throws(CofferError)
    -> Int32?
  {
    var inner = context
    inner.containers.append(Container(isArray: false, path: context.path))
    inner.hint = nil
    inner.isUnique = false
    var candidates: [(branch: Conjunction, variant: GenerationHints.Variant?, weight: Int)] = []
    let variants = hints.variants[context.recordsPointer] ?? []
    for variant in variants {
      let fixed = Shape { shape in
        shape.required = variant.constants.map(\.name) + variant.members
        shape.members = variant.constants.map { constant in
          Conjunction.Member(
            name: constant.name,
            shape: Shape {
              $0.values = [constant.value]
              $0.types = constant.value.type
            })
        }
      }
      let branches = Shape(alternatives).and(fixed).alternatives
      for branch in branches { candidates.append((branch, variant, max(1, variant.weight * 60 / max(1, branches.count)))) }
    }
    // Adds the alternatives that no variant covers, because references and rules may require them.
    for alternative in alternatives
    where !candidates.contains(where: { $0.branch.holds == alternative.holds && $0.branch.fails == alternative.fails }) {
      candidates.append((alternative, nil, variants.isEmpty ? 60 : 0))
    }
    if context.isEnvelope {
      // Takes the widest alternative: a document has one envelope.
      let widest = candidates.enumerated().max { a, b in
        let (first, second) = (Self.width(a.element.branch), Self.width(b.element.branch))
        return first != second ? first < second : a.offset > b.offset
      }
      candidates = widest.map { [$0.element] } ?? []
    }
    var compiled: [(members: [MemberPlan], weight: Int, branch: Conjunction)] = []
    var failure: CofferError?
    for candidate in candidates.prefix(Self.branchLimit) {
      do throws(CofferError) {
        if let members = try members(of: candidate.branch, candidate.variant, inner, items) {
          compiled.append((members, candidate.weight, candidate.branch))
        }
      } catch {
        failure = failure ?? error
      }
    }
    guard !compiled.isEmpty else {
      if let failure { throw failure }
      return nil
    }
    let start = Int32(plan.branches.count)
    for (number, branch) in compiled.enumerated() {
      let first = Int32(plan.members.count)
      plan.members += branch.members
      plan.branches.append(BranchPlan(members: Plan.Slice(first, Int32(plan.members.count)), weight: Int32(branch.weight)))
      if items.collection >= 0 { note(branch.branch, number, of: items.collection) }
    }
    if items.collection >= 0 { settleHeads(items, compiled.map(\.branch)) }
    let holdsCollections =
      context.isEnvelope && plan.collections.contains { $0.tokens.starts(with: context.path) && $0.array >= 0 }
    plan.objects.append(
      ObjectPlan(
        branches: Plan.Slice(start, Int32(plan.branches.count)),
        totalWeight: Int32(max(1, compiled.reduce(0) { $0 + $1.weight })),
        holdsCollections: holdsCollections, depth: Int32(inner.containers.count)))
    return Int32(plan.objects.count - 1)
  }

  private static func width(_ branch: Conjunction) -> Int { branch.members.count { !$0.shape.isNothing } + branch.required.count }

  private func members(
    of branch: Conjunction, _ variant: GenerationHints.Variant?, _ context: Context, _ items: ItemRules
  ) throws(CofferError) -> [MemberPlan]? {
    var unique = uniqueFields(of: branch, items)
    // File names are unique in every record.
    for file in files.found where file.path.dropLast() == context.path[...] { file.path.last.map { _ = unique.insert($0) } }
    let assignments = assign(items.references, in: branch, context.asRecord, uniqueFields: unique)
    return try withAssignments(assignments) { () throws(CofferError) -> [MemberPlan]? in
      var names = branch.members.map(\.name)
      names += branch.required.filter { !names.contains($0) }
      var found: [(name: String, member: MemberPlan)] = []
      for name in names {
        let isRequired = branch.required.contains(name)
        let shape = branch.shape(ofMember: name)
        if shape.isNothing || branch.names.map({ !$0.alternatives.contains { $0.accepts(.string(name)) } }) ?? false {
          if isRequired { return nil }
          continue
        }
        var member = context.inner(name)
        member.isUnique = unique.contains(name)
        member.order = items.orders.first { $0.field == [name] }
        member.hint = variant?.hints[name]
        let compiled: Compiled?
        do throws(CofferError) {
          compiled = try generator(for: shape, member)
        } catch {
          if isRequired { throw error }
          continue
        }
        guard let compiled else {
          if isRequired { return nil }
          continue
        }
        if member.isUnique { recordLimit = min(recordLimit, capacity(of: compiled.generator)) }
        // An optional member that can only be null is left out.
        if compiled.isNull, !isRequired { continue }
        let isKey =
          unique.contains(name)
          || items.collection >= 0 && isReferredTo(plan.collections[Int(items.collection)].tokens, field: name)
        let isPresent = isRequired || isKey || isCollectionGenerator(compiled.generator)
        let hint = hint(member)
        found.append(
          (
            name,
            MemberPlan(
              name: self.name(name), generator: compiled.generator, salt: Self.salt(member.pointer),
              absent: Int32(isPresent ? 0 : hint?.absent ?? Self.usuallyAbsent),
              null: Int32(
                !compiled.isNullable || isKey || isCollectionGenerator(compiled.generator) ? 0 : hint?.null ?? Self.usuallyNull))
          ))
      }
      return fit(found, to: branch, context)
    }
  }

  private func isCollectionGenerator(_ generator: Int32) -> Bool {
    switch plan.generators[Int(generator)] {
    case .array(let array): plan.arrays[Int(array)].collection >= 0
    case .object(let object): plan.objects[Int(object)].holdsCollections
    default: false
    }
  }

  /// Adjusts the members to the member count that the rules require, and sorts them. Returns `nil` if that isn't possible.
  private func fit(_ found: [(name: String, member: MemberPlan)], to branch: Conjunction, _ context: Context) -> [MemberPlan]? {
    var found = found
    var rest = found.count - branch.memberCount.upperBound
    while rest > 0, let index = found.lastIndex(where: { !branch.required.contains($0.name) }) {
      found.remove(at: index)
      rest -= 1
    }
    for index in found.indices where found.count(where: { $0.member.absent == 0 }) < branch.memberCount.lowerBound {
      found[index].member.absent = 0
    }
    var extra = 1
    while found.count < branch.memberCount.lowerBound, extra < 40 {
      let name = "extra\(extra)"
      extra += 1
      guard !branch.members.contains(where: { $0.name == name }) else { continue }
      let shape = branch.shape(ofMember: name)
      guard branch.names.map({ $0.alternatives.contains { $0.accepts(.string(name)) } }) ?? true,
        let compiled = try? generator(for: shape, context.inner(name))
      else { continue }
      found.append(
        (
          name,
          MemberPlan(
            name: self.name(name), generator: compiled.generator, salt: Self.salt(context.inner(name).pointer), absent: 0, null: 0
          )
        ))
    }
    guard found.count >= branch.memberCount.lowerBound, found.count <= branch.memberCount.upperBound else { return nil }
    if hints.isSorted { found.sort { $0.name < $1.name } }
    return found.map(\.member)
  }
}

extension PlanCompiler.Context {
  /// Returns the pointer of an item's array, or a value's own pointer.
  fileprivate var recordsPointer: String { path.last == "*" ? String(pointer.dropLast(2)) : pointer }

  /// The context for foreign keys: the containers around the record, without the record itself.
  fileprivate var asRecord: PlanCompiler.Context {
    var record = self
    record.containers.removeLast()
    return record
  }
}

/// Locates the values that other values depend on.
extension PlanCompiler {
  /// Returns a place relative to the containers around a value. The last container is level 1.
  func place(from containers: [Container], level: Int, _ tokens: [String], _ context: Context) -> Int32? {
    guard level >= 1, level <= containers.count else { return nil }
    let index = containers.count - level
    var path = tokens
    var object = index
    if containers[index].isArray {
      // The path to an array from the enclosing object.
      guard let around = containers[..<index].lastIndex(where: { !$0.isArray }) else { return nil }
      path = Array(containers[index].path.dropFirst(containers[around].path.count)) + tokens
      object = around
    }
    let up = context.containers[(object + 1)...].reduce(0) { $0 + ($1.isArray ? 0 : 1) }
    let slice = pathSlice(path)
    plan.places.append(DataPlace(up: Int32(up), path: slice))
    return Int32(plan.places.count - 1)
  }

  /// Returns the place of a data reference, or `nil` if the value would depend on itself.
  func place(of data: Schema.DataReference, _ context: Context) -> Int32? {
    let target: [String]
    switch data.origin {
    case .root(let tokens): target = tokens
    case .ancestor(let levels, let field):
      guard levels <= context.containers.count else { return nil }
      target = context.containers[context.containers.count - levels].path + [field]
    }
    if !noteMeasure(of: context.path, by: target) { return nil }
    switch data.origin {
    case .root(let tokens):
      let slice = pathSlice(tokens)
      plan.places.append(DataPlace(up: -1, path: slice))
      return Int32(plan.places.count - 1)
    case .ancestor(let levels, let field): return place(from: context.containers, level: levels, [field], context)
    }
  }

  /// Returns the place of a sum's summands, or `nil` if the sum itself would be one of them.
  func place(of resource: Schema.Resource, _ context: Context) -> Int32? {
    switch resource {
    case .root(let tokens):
      if !noteMeasure(of: context.path, by: tokens) { return nil }
      let slice = pathSlice(tokens)
      plan.places.append(DataPlace(up: -1, path: slice))
      return Int32(plan.places.count - 1)
    case .relative(let levels, let tokens):
      if levels <= context.containers.count,
        !noteMeasure(of: context.path, by: context.containers[context.containers.count - levels].path + tokens)
      {
        return nil
      }
      return place(from: context.containers, level: levels, tokens, context)
    }
  }

  /// Notes that a value depends on another one.
  ///
  /// - Returns: False if the other already depends on it: that would be a cycle.
  private func noteMeasure(of value: [String], by other: [String]) -> Bool {
    var seen: Set<[String]> = [other]
    guard !follows(other, from: value, &seen) else { return false }
    measured[value, default: []].insert(other)
    return true
  }

  /// Returns true if a value equals another, contains it, is part of it, or depends on a value that does.
  private func follows(_ value: [String], from other: [String], _ seen: inout Set<[String]>) -> Bool {
    if Self.overlap(value, other) { return true }
    for (measured, measures) in measured where Self.overlap(measured, value) {
      for measure in measures where seen.insert(measure).inserted {
        if follows(measure, from: other, &seen) { return true }
      }
    }
    return false
  }

  private static func overlap(_ a: [String], _ b: [String]) -> Bool { a.starts(with: b) || b.starts(with: a) }
}
