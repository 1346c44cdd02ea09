import ByteStreams
import JSONEvents
import Rules

/// Compiles values: chooses the generator for an alternative.
extension PlanCompiler {
  struct Compiled {
    var generator: Int32
    /// True if `null` is also allowed.
    var isNullable: Bool
    /// True if only `null` is allowed.
    var isNull = false
  }

  /// Returns the generator of a value, or `nil` if no value is allowed.
  func generator(for shape: Shape, _ context: Context) throws(CofferError) -> Compiled? {
    try countValue(context)
    var isNullable = false
    var alternatives: [Conjunction] = []
    for alternative in shape.alternatives {
      if alternative.types.contains(.null), alternative.accepts(.null) { isNullable = true }
      var rest = alternative
      rest.types.remove(.null)
      rest.values?.removeAll { $0 == .null }
      if !rest.types.isEmpty, rest.values?.isEmpty != true { alternatives.append(rest) }
    }
    guard !alternatives.isEmpty else {
      return isNullable ? Compiled(generator: pool([.null]), isNullable: false, isNull: true) : nil
    }
    if let reference = try referenceGenerator(context) { return Compiled(generator: reference, isNullable: isNullable) }

    if context.isEnvelope, let array = alternatives.first(where: { isCollection($0) }) {
      return try self.array(array, context).map { Compiled(generator: $0, isNullable: isNullable) }
    }
    let objects = alternatives.filter { kind(of: $0, context) == .object }
    var generators: [Int32] = []
    var failure: CofferError?
    if !objects.isEmpty {
      do throws(CofferError) {
        if let object = try object(objects, context) { generators.append(add(.object(object))) }
      } catch {
        failure = error
      }
    }
    if !context.isEnvelope || generators.isEmpty {
      for alternative in alternatives where kind(of: alternative, context) != .object && generators.count < 8 {
        do throws(CofferError) {
          if let generator = try generator(of: alternative, context) { generators.append(generator) }
        } catch {
          failure = failure ?? error
        }
      }
    }
    guard let first = generators.first else {
      if let failure { throw failure }
      return isNullable ? Compiled(generator: pool([.null]), isNullable: false, isNull: true) : nil
    }
    if generators.count == 1 { return Compiled(generator: first, isNullable: isNullable) }
    let start = Int32(plan.choices.count)
    plan.choices += generators
    return Compiled(generator: add(.choice(Plan.Slice(start, Int32(plan.choices.count)))), isNullable: isNullable)
  }

  /// Returns true if this is an array of records in the envelope.
  private func isCollection(_ alternative: Conjunction) -> Bool {
    alternative.types.contains(.array) && alternative.holdsRecords && alternative.prefix.isEmpty && alternative.values == nil
  }

  private func generator(of alternative: Conjunction, _ context: Context) throws(CofferError) -> Int32? {
    if let data = alternative.equals.first {
      guard let place = place(of: data, context) else {
        throw .hintNeeded(context.pointer, "it must equal a value that isn't known yet")
      }
      if let prefix = data.prefix { return add(.prefixed(textPool([prefix]), place: place)) }
      return add(.copy(place))
    }
    if let data = alternative.among.first {
      guard let place = place(of: data, context) else {
        throw .hintNeeded(context.pointer, "it must be one of values that aren't known yet")
      }
      return add(.item(place: place, name: -1))
    }
    if let tokens = alternative.count { return add(.count(collection(at: tokens))) }
    if let sum = alternative.sum { return try self.sum(sum, context) }
    if context.order != nil, let generator = sorted(alternative, context) { return generator }
    if let hint = hint(context), case .among(let values) = hint.content {
      let fitting = values.filter { alternative.accepts($0) }
      if !fitting.isEmpty { return pool(fitting, isDistinct: context.isUnique) }
    }
    if let values = alternative.values { return pool(values, isDistinct: context.isUnique) }
    switch kind(of: alternative, context) {
    case .string: return try string(alternative, context)
    case .number: return try alternative.isFraction ? fraction(alternative, context) : number(alternative, context)
    case .boolean:
      return pool([.boolean(false), .boolean(true)].filter { alternative.accepts($0) }, isDistinct: context.isUnique)
    case .array: return try array(alternative, context)
    default: return nil
    }
  }

  func hint(_ context: Context) -> ValueHint? { context.hint ?? hints.values[context.pointer] }

  /// Returns the one of a value's allowed types that the rules constrain most.
  private func kind(of alternative: Conjunction, _ context: Context) -> TypeSet {
    let types = alternative.types
    func first(_ kind: TypeSet, if says: Bool) -> TypeSet? { types.contains(kind) && says ? kind : nil }
    if types.rawValue.nonzeroBitCount == 1 { return types }
    if case .among(let values)? = hint(context)?.content, let value = values.first(where: { alternative.accepts($0) }) {
      return value.type
    }
    if let value = alternative.values?.first { return value.type }
    let numeric =
      alternative.lower != nil || alternative.upper != nil || alternative.isInteger || !alternative.divisors.isEmpty
      || !alternative.dataBounds.isEmpty || alternative.count != nil || alternative.sum != nil
      || alternative.formats.contains(where: \.appliesToNumbers)
    let textual =
      !alternative.patterns.isEmpty || alternative.length != 0...Int.max || alternative.formats.contains { !$0.appliesToNumbers }
    return first(.object, if: alternative.isAboutObjects)
      ?? first(
        .array,
        if: alternative.rest != nil || !alternative.prefix.isEmpty || !alternative.contains.isEmpty
          || !alternative.recordFields.isEmpty)
      ?? first(.string, if: textual) ?? first(.number, if: numeric)
      ?? [.string, .number, .boolean, .object, .array].first { types.contains($0) } ?? types
  }

  // MARK: Sums

  private func sum(_ sum: Schema.Sum, _ context: Context) throws(CofferError) -> Int32 {
    guard let place = place(of: sum.values, context) else {
      throw .hintNeeded(context.pointer, "the generator can't find the summands, or they depend on the sum")
    }
    plan.sums.append(SumPlan(place: place, scale: 2))
    return add(.sum(Int32(plan.sums.count - 1)))
  }

  // MARK: Texts

  /// Returns the generator of sorted values that are neither numbers nor times: ranks, or one value for all records.
  private func sorted(_ alternative: Conjunction, _ context: Context) -> Int32? {
    if let value = alternative.values?.first { return context.isUnique ? nil : pool([value]) }
    guard kind(of: alternative, context) == .string,
      !alternative.formats.contains(where: { $0.isTemporal || $0 == .decimal })
    else { return nil }
    if ["00000000", "99999999"].allSatisfy({ alternative.accepts(.string($0)) }) {
      plan.parts.append(PartPlan(content: .rank(isDescending: context.order?.isDescending == true)))
      return add(.text(Plan.Slice(Int32(plan.parts.count - 1), Int32(plan.parts.count))))
    }
    guard !context.isUnique, let text = Vocabulary.candidates(for: alternative, most: 1).first else { return nil }
    return pool([.string(text)])
  }

  private func string(_ alternative: Conjunction, _ context: Context) throws(CofferError) -> Int32 {
    let formats = alternative.formats.filter { !$0.appliesToNumbers }
    if let format = formats.first(where: { $0.isTemporal || $0 == .decimal }) { return try number(alternative, context, format) }
    if formats.contains(.uuid), alternative.length.contains(36) { return add(.uuid) }
    if case .text(let parts)? = hint(context)?.content { return text(parts, context) }
    if case .uuid? = hint(context)?.content { return add(.uuid) }
    let fileNumber = files.found.firstIndex { $0.path == context.path }
    if let fileNumber, let names = fileNames(fileNumber, for: alternative) { return text(names, context) }
    if context.isUnique {
      let words = Vocabulary.titles.filter { word in
        (fileNumber == nil || Vocabulary.isFileName(word))
          && [1, 4_000_000].allSatisfy { alternative.accepts(.string("\(word) \($0)")) }
      }
      if !words.isEmpty { return text([.among(words)], context) }
    }
    var candidates = Vocabulary.candidates(for: alternative, most: context.isUnique ? 400 : 48)
    if fileNumber != nil {
      // A and a may be the same file on the system where it is unpacked.
      var known: Set<String> = []
      candidates.removeAll { !Vocabulary.isFileName($0) || !known.insert($0.lowercased()).inserted }
    }
    guard !candidates.isEmpty else {
      throw .hintNeeded(context.pointer, "found no string that satisfies its rules: list some with \"among\"")
    }
    return pool(candidates.map(JSONTree.string), isDistinct: context.isUnique)
  }

  /// Returns file names that the rules allow, distinct from other collections' files, or `nil` if the rules require something
  /// else.
  private func fileNames(_ number: Int, for alternative: Conjunction) -> [ValueHint.Part]? {
    let stems = Vocabulary.files.map { number == 0 ? $0 : "\($0)-\(number + 1)" }
    let allowed = stems.filter { stem in [1, 4_000_000].allSatisfy { alternative.accepts(.string("\(stem)_\($0).jpg")) } }
    return allowed.isEmpty ? nil : [.among(allowed), .among([".jpg"])]
  }

  private func text(_ pieces: [ValueHint.Part], _ context: Context) -> Int32 {
    var parts = pieces.map { piece -> PartPlan in
      switch piece {
      case .among(let texts): PartPlan(content: .pool(textPool(texts)))
      case .number(let range): PartPlan(content: .number(Int64(range.lowerBound), Int64(range.upperBound)))
      }
    }
    if context.isUnique {
      // Inserted before an extension such as `.jpg`, so that file names stay file names.
      let ending: Int = {
        guard case .among(let texts)? = pieces.last, parts.count > 1, texts.allSatisfy({ $0.hasPrefix(".") }) else {
          return parts.count
        }
        return parts.count - 1
      }()
      parts.insert(
        contentsOf: [PartPlan(content: .pool(textPool([ending < parts.count ? "_" : " "]))), PartPlan(content: .ordinal)],
        at: ending)
    }
    let start = Int32(plan.parts.count)
    plan.parts += parts
    return add(.text(Plan.Slice(start, Int32(plan.parts.count))))
  }
}
