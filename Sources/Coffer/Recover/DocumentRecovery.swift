import ByteStreams
import CompressedStreams
import JSONEvents
import Pipelines

/// Copies a damaged document without what is damaged: every whole record, and every whole member of the envelope, byte for byte and in
/// their order.
///
///     { "version": 2, "cars": [ {…}, {…}, {"id": 3, "na ▒▒▒▒▒▒▒ }, {…}, {…} ], "settings": {…} }
///       member                  records   |---- left out ----|   records       member
///
/// The root is entered, and so are its members that are arrays, or objects that are damaged or large, and arrays in those: what they hold
/// is copied one by one. All other values are units, copied as a whole or not at all.
///
/// In an array, slices that are well formed (`SliceReader`) are copied as they are, on all threads. A slice with damage is read unit by unit; and where
/// one is broken, `Resynchronisation` finds the next.
///
/// Memory: a few slices; a record at the damage may take up to `ReaderLimits.tokenSize`.
struct DocumentRecovery<Sink: ByteSink>: ~Copyable {
  private var input: RecoveryInput
  private(set) var sink: Sink
  private let options: PassOptions
  private let known: KnownCollections
  /// The records to leave out, although they are whole.
  private let removals: Removals?
  private let leave: (LeftOut, ByteView) throws -> Void

  /// The containers that are entered, outer ones first.
  private var path: [Container] = []
  /// The offset of the next byte to look at.
  private var position = 0
  /// The offset behind the last byte that was written or left out.
  private var written = 0
  /// True if what was left out ends there: then the bytes up to the next unit can't be copied as they are.
  private var isApart = false
  /// The commas since the last unit.
  private var commas = 0
  /// The pointers of the known collections that have begun.
  private var begun: Set<String> = []
  /// The offset from which slices may be tried again.
  private var nextSlices = 0
  /// True if the document's beginning is lost. Then its first records are written as an array.
  private(set) var isHeadless = false
  /// True if a unit, or the root's brackets, were written.
  private(set) var hasContent = false
  /// The number of bytes that were written, and where they come from.
  private var outputCount = 0
  private(set) var moves: MoveLog

  private final class Container {
    let isObject: Bool
    let pointer: String
    /// True if its units are records.
    let holdsRecords: Bool
    /// The number of units that were written.
    var count = 0
    /// The number of units that were seen.
    var index = 0
    var shape: RecordShape

    /// - Parameter shape: that of its records, if the rules describe them.
    init(isObject: Bool, pointer: String, shape: RecordShape?) {
      self.isObject = isObject
      self.pointer = pointer
      holdsRecords = !isObject || shape != nil
      self.shape = shape ?? RecordShape()
    }
  }

  /// What is sliced at a time.
  private static var sliceRun: Int { 1 << 20 }
  /// What is read unit by unit before slices are tried: finding a slice costs as much as reading a few records.
  private static var slowRun: Int { 16 << 10 }
  private static var stepSize: Int { 1 << 20 }
  /// Where the next unit is looked for at first.
  private static var firstWindow: Int { 256 }
  /// Small slices, because one with damage is read slowly.
  private static var slices: Slicer.Options {
    var options = Slicer.Options()
    options.sliceSize = 128 << 10
    return options
  }

  /// - Parameters:
  ///   - known: what the rules say about the collections.
  ///   - origins: what the source was made from, if places are those in that document.
  ///   - removals: the records to leave out, although they are whole.
  ///   - leave: gets each range of bytes that is left out, in pieces if it is large.
  init(
    _ source: some ByteSource, to sink: Sink, options: PassOptions, known: KnownCollections, origins: MoveLog? = nil,
    without removals: Removals? = nil, leaving leave: @escaping (LeftOut, ByteView) throws -> Void
  ) {
    self.known = known
    self.removals = removals
    moves = MoveLog(options.execution)
    input = RecoveryInput(source, origins: origins)
    self.sink = sink
    self.options = options
    self.leave = leave
  }

  /// The number of bytes that were read.
  var bytesRead: Int { input.available }

  /// Copies the document.
  mutating func run() throws {
    try enterRoot()
    while let container = path.last {
      try options.execution.cancellation.check()
      if try copySlices(container) { continue }
      try step(container)
    }
    try leaveRest()
    // An interrupted source looks like one that ends.
    try options.execution.cancellation.check()
    try moves.finish()
  }

  /// A scan of the bytes at hand.
  private var scan: ValueScan { ValueScan(input.view, limits: options.limits, isEnd: input.hasEnded) }

  // MARK: The document's ends

  private mutating func enterRoot() throws {
    if input.fill(to: 3), input[0] == 0xEF, input[1] == 0xBB, input[2] == 0xBF { position = 3 }
    if try copyScalar() { return }
    let start = written
    while let byte = try nextByte() {
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["), beginsContainer(at: position) {
        if isApart { try leaveOut(to: position, .beforeDocument, at: start) }
        if isApart, try beginsWithoutHead() { return }
        isApart = false
        return try enter(isObject: byte == UInt8(ascii: "{"), pointer: "")
      }
      if byte == UInt8(ascii: "\""), isApart, let colon = colonOfMember() {
        guard let end = Resynchronisation.endOfNested(input.view, colon + 1 - input.base) else {
          try leaveOut(to: position, .beforeDocument, at: start)
          path.append(Container(isObject: true, pointer: "", shape: nil))
          return try put("{")
        }
        position = input.base + end
      }
      isApart = true
      // A quotation mark behind a backslash begins no string.
      position = min(position + (byte == UInt8(ascii: "\\") ? 2 : 1), input.available)
      if position - written > Self.stepSize { try leaveOut(to: position, .beforeDocument, at: start) }
    }
    if position > written { try leaveOut(to: position, .beforeDocument, at: start) }
  }

  /// Copies a document that is one string, number or literal.
  private mutating func copyScalar() throws -> Bool {
    guard let start = input.next(from: position), !"{[".utf8.contains(input[start]) else { return false }
    let (outcome, _) = scanWhole(at: start) { $0.scan(from: $1, depth: 0) }
    guard case .value(let end) = outcome, input.next(from: input.base + end) == nil else { return false }
    position = input.base + end
    hasContent = true
    return true
  }

  /// Begins an array at a record of it, if the document's beginning is lost.
  private mutating func beginsWithoutHead() throws -> Bool {
    input.fill(to: position + Self.stepSize)
    var scan = scan
    guard case .value(let end) = scan.scan(from: position - input.base, depth: 1), let next = input.next(from: input.base + end),
      input[next] == UInt8(ascii: ",")
    else { return false }
    isHeadless = true
    path.append(Container(isObject: false, pointer: "", shape: nil))
    try put("[")
    return true
  }

  /// Returns the place of the colon of the member that begins here, if it may be one of the root, whose bracket is lost.
  private mutating func colonOfMember() -> Int? {
    input.fill(to: position + Self.stepSize)
    var scan = scan
    guard case .value(let end) = scan.string(at: position - input.base), let colon = input.next(from: input.base + end),
      input[colon] == UInt8(ascii: ":")
    else { return nil }
    let name = input.bytes(position + 1..<input.base + end - 1).array
    if RecordShape.isBetweenStrings(name) || !known.memberNames.isEmpty && !known.memberNames.contains(name) { return nil }
    return colon
  }

  /// Returns true if what follows the bracket may be in a container, or if nothing precedes it but white space.
  private mutating func beginsContainer(at bracket: Int) -> Bool {
    guard let next = input.next(from: bracket + 1) else { return true }
    if !isApart, input[next] != UInt8(ascii: "{") { return true }
    return (input[bracket] == UInt8(ascii: "{") ? "\"}" : "\"{[]-0123456789tfn").utf8.contains(input[next])
  }

  /// Leaves out what follows the root.
  private mutating func leaveRest() throws {
    // Where what is left out begins: behind blanks that were written.
    var start: Int?
    var isBlank = true
    var reason = LeftOut.Reason.padding
    while input.fill(to: position + 1) {
      let byte = input[position]
      if !SyntaxDiagnosis.isSpace(byte) {
        let own: LeftOut.Reason = byte == 0 ? .padding : ",]}".utf8.contains(byte) ? .separator : .afterDocument
        reason = isBlank || own == reason ? own : .afterDocument
        isBlank = false
      }
      position += 1
      guard position - written > Self.stepSize else { continue }
      if isBlank {
        try write(to: position)
      } else {
        start = start ?? written
        try leaveOut(to: position, reason, at: start)
      }
    }
    if isBlank { return try write(to: position) }
    try leaveOut(to: position, reason, at: start)
  }

  // MARK: One unit

  private mutating func step(_ container: Container) throws {
    guard let byte = try nextByte() else { return try end() }
    switch byte {
    case UInt8(ascii: ","):
      commas += 1
      position += 1
    case UInt8(ascii: "}") where container.isObject, UInt8(ascii: "]") where !container.isObject:
      if isHeadless || mayEnd(container) { try close() } else { try repair(container, from: position, fault: position + 1) }
    case UInt8(ascii: "\"") where container.isObject: try takeMember(container)
    case _ where container.isObject: try repair(container, from: position, fault: position)
    default: try takeValue(container, from: position, at: position)
    }
  }

  /// Returns true if the bracket at `position` may end the container.
  private mutating func mayEnd(_ container: Container) -> Bool {
    if let comma = input.next(from: position + 1) {
      _ = input.next(from: comma + 1)
      // `{…}, ]{…}`: between two records of the root, the bracket is one too many.
      if path.count == 1, !container.isObject, commas > 0, container.count > 0, input[comma] == UInt8(ascii: "{") { return false }
    }
    return Resynchronisation.mayEnd(
      input.view, position + 1 - input.base, isObject: container.isObject, isMember: path.count > 1) ?? true
  }

  private mutating func takeMember(_ container: Container) throws {
    let start = position
    guard let (end, _) = try whole(container, from: start, at: start, { $0.string(at: $1) }) else { return }
    let name = input.bytes(start + 1..<end - 1).array
    guard let colon = input.next(from: end) else { return try truncate(from: start) }
    guard input[colon] == UInt8(ascii: ":") else { return try repair(container, from: start, fault: colon) }
    guard let value = input.next(from: colon + 1) else { return try truncate(from: start) }
    if try enterMember(container, name, from: start, at: value) { return }
    try takeValue(container, from: start, at: value, name: name)
  }

  /// Enters a member whose units are copied one by one.
  private mutating func enterMember(_ container: Container, _ name: [UInt8], from start: Int, at value: Int) throws -> Bool {
    let isObject = input[value] == UInt8(ascii: "{")
    if isObject {
      guard path.count == 1, !container.shape.isKeyed || removals != nil && !container.holdsRecords else { return false }
      // A whole object is a unit.
      input.fill(to: value + Self.slowRun)
      var scan = scan
      if case .value(let end) = scan.scan(from: value - input.base, depth: path.count),
        try removals?.isAny(in: value..<input.base + end) != true
      {
        return false
      }
    } else {
      guard input[value] == UInt8(ascii: "["), path.count <= 2, path.allSatisfy(\.isObject) else { return false }
    }
    try bridge(to: start, container)
    container.index += 1
    container.count += 1
    position = value
    try enter(isObject: isObject, pointer: container.pointer + "/" + String(decoding: name, as: UTF8.self).pointerToken)
    return true
  }

  /// Copies the unit that begins at `start`, whose value begins at `value`.
  private mutating func takeValue(_ container: Container, from start: Int, at value: Int, name: [UInt8]? = nil) throws {
    let depth = path.count
    guard let (end, names) = try whole(container, from: start, at: value, { $0.scan(from: $1, depth: depth) }) else { return }
    if name == nil, input[value] == UInt8(ascii: "\""), let next = input.next(from: end), !",]\"".utf8.contains(input[next]) {
      let text = input.bytes(value + 1..<end - 1).array
      if input[next] == UInt8(ascii: ":") { return try takeName(container, text, at: start) }
      // It may be what is between two strings.
      return try repair(container, from: start, fault: end, string: value)
    }
    if !container.shape.isComplete {
      container.shape.learn(input.bytes(value..<end), names: names.map { input.view[$0].array }, limits: options.limits)
    }
    if let removals, container.holdsRecords, let removal = try removals.take(in: start..<end) {
      return try remove(removal, container, name, start..<end)
    }
    try bridge(to: start, container)
    for (place, total) in removals?.corrections(in: start..<end) ?? [] { try correct(place, to: total) }
    try write(to: end)
    try finish(unit: container, at: end)
  }

  private mutating func finish(unit container: Container, at end: Int) throws {
    position = end
    container.count += 1
    container.index += 1
    hasContent = true
  }

  /// Repairs the document at a name in an array: a bracket is lost, or the name shouldn't be there.
  private mutating func takeName(_ array: Container, _ name: [UInt8], at start: Int) throws {
    let place = place(array)
    // Without rules, what follows the name's value decides.
    if place.memberNames.isEmpty, let end = memberEnd(beforeItem: start) {
      return try repair(array, from: start, fault: end)
    }
    if path.count > 1, place.isOuter(name) { return try closeWithoutBracket() }
    try repair(array, from: start, fault: start, open: [UInt8(ascii: "{")])
  }

  /// Returns the end of the member that begins at `start` if an object or array without a name follows it.
  private mutating func memberEnd(beforeItem start: Int) -> Int? {
    guard let name = input.next(from: start), case .value(let nameEnd) = scanWhole(at: name, { $0.scan(from: $1, depth: 0) }).0,
      let colon = input.next(from: nameEnd + input.base), input[colon] == UInt8(ascii: ":"),
      let value = input.next(from: colon + 1), case .value(let end) = scanWhole(at: value, { $0.scan(from: $1, depth: 0) }).0,
      let next = input.next(from: end + input.base)
    else { return nil }
    let item = input[next] == UInt8(ascii: ",") ? input.next(from: next + 1) : next
    return item.flatMap { "{[".utf8.contains(input[$0]) ? end + input.base : nil }
  }

  /// Returns the end of a value and the names of its members, or `nil` if it isn't whole, and the damage has been left out.
  private mutating func whole(
    _ container: Container, from start: Int, at value: Int, _ find: (inout ValueScan, Int) -> ValueScan.Outcome
  ) throws -> (end: Int, names: [Range<Int>])? {
    let (outcome, scan) = scanWhole(at: value, find)
    switch outcome {
    case .value(let end): return (end + input.base, scan.names)
    case .broken(let fault):
      let string = (scan.brokenString ?? scan.lastString).map { $0 + input.base }
      try repair(
        container, from: start, fault: fault + input.base, open: scan.open, inString: scan.brokenString != nil, string: string)
    case .unfinished where input.hasEnded: try repair(container, from: start, fault: input.available, open: scan.open)
    case .unfinished:
      let isContainer = "{[".utf8.contains(input[value])
      try repair(container, from: start, fault: value + 1, open: isContainer ? [input[value]] : [], inString: !isContainer)
    }
    return nil
  }

  /// Reads until a value is whole, broken, or too large.
  private mutating func scanWhole(
    at value: Int, _ find: (inout ValueScan, Int) -> ValueScan.Outcome
  ) -> (ValueScan.Outcome, ValueScan) {
    var size = Self.stepSize
    while true {
      var scan = scan
      let outcome = find(&scan, value - input.base)
      if outcome != .unfinished || input.hasEnded || size > options.limits.tokenSize { return (outcome, scan) }
      size *= 2
      input.fill(to: value + size)
    }
  }

  // MARK: Records with errors

  /// Leaves out a unit that is whole, or sets its references to null.
  private mutating func remove(_ removal: Removal, _ container: Container, _ name: [UInt8]?, _ unit: Range<Int>) throws {
    if removal.kind == .dangling, let references = references(of: removal) {
      // Writing may drop the unit's first bytes.
      for reference in references {
        let entry = try invalid(.reference, reference, removal.at(reference.lowerBound), container, name, in: unit)
        try leave(entry, input.bytes(reference))
      }
      try bridge(to: unit.lowerBound, container)
      for reference in references {
        try write(to: reference.lowerBound)
        try put("null")
        written = reference.upperBound
      }
      try write(to: unit.upperBound)
      return try finish(unit: container, at: unit.upperBound)
    }
    try bridgeToDamage(at: unit.lowerBound)
    container.index += 1
    try leave(try invalid(removal.reason, unit, removal, container, name, in: unit), input.bytes(unit))
    (position, written, isApart, commas) = (unit.upperBound, unit.upperBound, true, 0)
    nextSlices = position + Self.slowRun
    try input.drop(to: written)
  }

  /// Replaces a number, or a string of digits, that declares a total.
  private mutating func correct(_ place: Int, to total: Removals.Total) throws {
    var scan = scan
    guard case .value(let end) = scan.scan(from: place - input.base, depth: path.count) else { return }
    // Writing may move the input.
    let number = place..<input.base + end
    let isString = input[place] == UInt8(ascii: "\"")
    let text = String(decoding: input.bytes(number).array, as: UTF8.self)
    let right = isString ? "\"\(total.right)\"" : total.right
    guard text != right,
      text.utf8.allSatisfy({
        "0123456789".utf8.contains($0) || "-.eE+".utf8.contains($0) && !isString || $0 == UInt8(ascii: "\"")
      })
    else { return }
    try write(to: place)
    var change = try entry(.count, number, continues: false)
    if var finding = total.finding {
      finding.place.position = change.position
      change.findings = [finding]
    }
    try leave(change, input.bytes(number))
    try put(right)
    written = number.upperBound
  }

  /// Returns the references that can be replaced, or `nil` if one isn't a single value.
  private mutating func references(of removal: Removal) -> [Range<Int>]? {
    guard removals?.nullsReferences == true, !removal.isWhole else { return nil }
    var references: [Range<Int>] = []
    for start in removal.references {
      var scan = scan
      guard !"{[".utf8.contains(input[start]), case .value(let end) = scan.scan(from: start - input.base, depth: path.count),
        input.next(from: input.base + end).map({ input[$0] != UInt8(ascii: ":") }) ?? true
      else { return nil }
      references.append(start..<input.base + end)
    }
    return references.isEmpty ? nil : references
  }

  /// Returns the entry for a whole unit, or a part of it, with its findings.
  private mutating func invalid(
    _ reason: LeftOut.Reason, _ range: Range<Int>, _ removal: Removal, _ container: Container, _ name: [UInt8]?,
    in unit: Range<Int>
  ) throws -> LeftOut {
    let start = try input.position(at: unit.lowerBound)
    let token =
      name.map { String(decoding: $0, as: UTF8.self).pointerToken }
      ?? String(container.index - (reason == .reference ? 0 : 1) + input.indexShift)
    return LeftOut(
      reason, range, removal, of: "\(container.pointer)/\(token)", in: unit, input.bytes(unit), at: start)
  }

  // MARK: Damage

  /// Leaves out what is broken at `fault`, up to the next unit or the container's end.
  ///
  /// - Parameters:
  ///   - open: the opening brackets of the containers in the unit that are open at the fault.
  ///   - inString: true if the fault is in a string.
  ///   - string: the place of that string, or of the one before the fault.
  private mutating func repair(
    _ container: Container, from start: Int, fault: Int, open: [UInt8] = [], inString: Bool = false, string: Int? = nil
  ) throws {
    try bridgeToDamage(at: start)
    if fault >= input.available, input.hasEnded { return try truncate(from: start) }
    let reason = inString ? LeftOut.Reason.string : .syntax
    let place = place(container)
    func makeSearches(isLastResort: Bool) -> [Resynchronisation] {
      // The string's end may be lost, and what follows taken for it.
      var starts = [(fault, true)]
      if let string { starts.append((string + 1, false)) }
      if !inString { starts.append((fault, false)) }
      return starts.map { Resynchronisation(from: $0, inString: $1, open: open, isLastResort: isLastResort) }
    }
    var searches = makeSearches(isLastResort: false)
    var isLastResort = false
    // They go on together, because the wrong one would read to the end.
    var window = fault + Self.firstWindow
    container.index += 1
    while true {
      try options.execution.cancellation.check()
      var found: Resynchronisation.Found?
      var needsMore = false
      for index in searches.indices {
        let stop = min(found?.place ?? .max, window)
        switch searches[index].advance(scan, base: input.base, at: place, stop: stop) {
        case .found(let next): found = next
        case .more: needsMore = true
        case .end: break
        }
      }
      if let found, searches.allSatisfy({ $0.position >= found.place }) || input.hasEnded {
        return try resume(at: found, reason, from: start)
      }
      if !needsMore, window < input.available {
        window += window - fault
        continue
      }
      if input.hasEnded {
        guard !isLastResort, written <= start, endsWithBrace else { return try truncate(from: start) }
        isLastResort = true
        searches = makeSearches(isLastResort: true)
        window = fault + Self.firstWindow
        continue
      }
      // Nothing that all searches have passed is needed.
      let passed = searches.map(\.position).min() ?? start
      if passed - written > Self.sliceRun { try leaveOut(to: passed, reason, at: start) }
      input.fill(to: max(input.available + 1, input.base + 2 * (input.available - input.base)))
    }
  }

  private func place(_ container: Container) -> Resynchronisation.Place {
    Resynchronisation.Place(
      isObject: container.isObject, isMember: path.count > 1, shape: container.shape, memberNames: known.memberNames,
      otherCollections: otherCollections, depth: path.count)
  }

  /// The collections among the root's members that have not begun.
  private var otherCollections: [String: RecordShape] {
    guard path.count == 1 && path[0].isObject || path.count == 2 && !path[1].isObject else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: known.shapes.compactMap { pointer, shape in
        guard !begun.contains(pointer), let tokens = pointer.pointerTokens, tokens.count == 1 else { return nil }
        return (tokens[0], shape)
      })
  }

  /// True if the last byte may be the root's bracket: then the document isn't truncated.
  private var endsWithBrace: Bool {
    var end = input.available
    while end > written, SyntaxDiagnosis.isSpace(input[end - 1]) { end -= 1 }
    return end > written && input[end - 1] == UInt8(ascii: "}")
  }

  private mutating func resume(at found: Resynchronisation.Found, _ reason: LeftOut.Reason, from start: Int) throws {
    // The comma and the indentation before the next unit are no part of the damage.
    var end = found.place
    while end > written, SyntaxDiagnosis.isSpace(input[end - 1]) { end -= 1 }
    if end - 1 > written, input[end - 1] == UInt8(ascii: ",") { end -= 1 }
    let damage = input.bytes(written..<end).array
    let isSeparators = written <= start && damage.allSatisfy { ",:]}".utf8.contains($0) || SyntaxDiagnosis.isSpace($0) }
    try leaveOut(to: end, isSeparators ? .separator : reason, at: start)
    position = found.place
    commas = 0
    switch found {
    case .unit: nextSlices = position + Self.slowRun
    case .close: try close()
    case .outerMember: try closeWithoutBracket()
    case .unnamedArray:
      let known = otherCollections
      try enter(arrayNamed: Self.rest(ofNameIn: damage.suffix(1024)) { known[$0] != nil } ?? "recovered")
    case .record(let name, _):
      if path.count == 2 { try closeWithoutBracket() }
      try enter(arrayNamed: name, withoutBracket: true)
    }
  }

  private mutating func truncate(from start: Int) throws {
    position = input.available
    try leaveOut(to: position, .truncated, at: start)
    try end()
  }

  /// Closes all containers at the end of the input.
  private mutating func end() throws {
    if !path.isEmpty, !isApart || position > written { try leaveOut(to: position, .truncated) }
    while let container = path.popLast() {
      try put(container.isObject ? "}" : "]")
    }
  }

  // MARK: Containers

  /// Enters the container at `position`. What precedes it is written or left out.
  private mutating func enter(isObject: Bool, pointer: String, isWritten: Bool = false) throws {
    path.append(Container(isObject: isObject, pointer: pointer, shape: known.shapes[pointer]))
    if known.shapes[pointer] != nil { begun.insert(pointer) }
    position += 1
    if isWritten { written = position } else { try write(to: position) }
    (commas, isApart) = (0, false)
    nextSlices = position + Self.slowRun
  }

  /// Enters an array of the root whose name is damaged or lost.
  ///
  /// - Parameter withoutBracket: true if its bracket is lost, too.
  private mutating func enter(arrayNamed name: String, withoutBracket: Bool = false) throws {
    guard let root = path.last else { return }
    try bridge(to: position, root)
    try put(ByteBuffer.quoted(name) + Array((withoutBracket ? ":[" : ":").utf8))
    root.count += 1
    if withoutBracket { position -= 1 }
    try enter(isObject: false, pointer: root.pointer + "/" + name.pointerToken, isWritten: withoutBracket)
    try leave(try entry(.name, written..<written, continues: false), input.bytes(written..<written))
  }

  /// Returns what is left of the name before an array: a known one if there is one.
  private static func rest(ofNameIn before: ArraySlice<UInt8>, isKnown: (String) -> Bool) -> String? {
    let names = before.split(separator: UInt8(ascii: "\"")).lazy
      .filter { text in text.contains { $0 > 0x20 && !",:[{}]".utf8.contains($0) } }
      .map { String(decoding: $0, as: UTF8.self).filter { $0.isLetter || $0.isNumber || "_-.$".contains($0) } }
    return names.last(where: isKnown) ?? names.last { !$0.isEmpty }
  }

  private mutating func close() throws {
    let container = path.removeLast()
    try bridge(to: position, container, isEnd: true)
    position += 1
    try write(to: position)
    hasContent = true
    (commas, isApart) = (0, false)
  }

  /// Ends an array whose bracket is lost, before a member of the object around it.
  private mutating func closeWithoutBracket() throws {
    try leave(try entry(.separator, written..<written, continues: false), input.bytes(written..<written))
    path.removeLast()
    try put("]")
  }

  // MARK: Slices

  /// Copies slices of an array. Returns false if there is none to copy.
  private mutating func copySlices(_ container: Container) throws -> Bool {
    guard !container.isObject, position >= nextSlices, container.count > 0, commas == 1, !isApart else { return false }
    input.fill(to: position + Self.sliceRun)
    nextSlices = position + Self.slowRun
    guard input.available - position >= Self.slowRun else { return false }
    let slicer = Slicer(
      ViewSource(bytes: input.bytes(position..<input.available)), options: Self.slices, depth: path.count,
      from: TextPosition(offset: position, line: 1, column: 1), firstIndex: 0)
    var (end, count, broken) = (position, 0, 0)
    let (depth, limits) = (path.count, options.limits)
    _ = try OrderedPipeline(jobs: options.execution.jobs).run(
      next: { slicer.nextSlice() },
      makeWorker: { { (slice: Slice) in slice.isUTF8 && slice.read(depth: depth, limits: limits) } },
      merge: { slice, isWhole in
        let isValid = try removals?.isAny(in: slice.start.offset..<slice.end) != true
        guard isWhole, isValid, slice.recordCount > 0 else {
          broken = slice.end
          return .stop
        }
        end = slice.end
        count += slice.recordCount
        return .more
      })
    if broken > 0 { nextSlices = max(nextSlices, broken) }
    guard count > 0 else { return false }
    try write(to: end)
    position = end
    commas = 0
    container.count += count
    container.index += count
    return true
  }

  // MARK: Bytes

  /// Returns the next byte that is no white space, at `position`.
  private mutating func nextByte() throws -> UInt8? {
    while input.fill(to: position + 1) {
      let byte = input[position]
      if !SyntaxDiagnosis.isSpace(byte) { return byte }
      position += 1
      guard position - written > Self.stepSize, !path.isEmpty, commas == 0 else { continue }
      // A long run: before a comma, nothing depends on it.
      if isApart { written = position - 1 } else { try write(to: position) }
      try input.drop(to: written)
    }
    return nil
  }

  /// Writes what is between the last unit and the next one, or the container's end: as it is, or what should be there.
  private mutating func bridge(to start: Int, _ container: Container, isEnd: Bool = false) throws {
    let expected = isEnd || container.count == 0 ? 0 : 1
    if isApart || commas != expected {
      var blank = start
      while blank > max(written, input.base), SyntaxDiagnosis.isSpace(input[blank - 1]) { blank -= 1 }
      if !isApart { try leaveOut(to: blank, .separator) }
      if expected > 0 { try put(",") }
      written = blank
    }
    try write(to: start)
    (commas, isApart) = (0, false)
  }

  /// Drops the separators before damage, which are no part of it.
  private mutating func bridgeToDamage(at start: Int) throws {
    if isApart || written == start { return }
    // The comma is written with the next unit.
    (written, isApart) = (start, true)
  }

  /// Writes the bytes of the input up to `end`.
  private mutating func write(to end: Int) throws {
    if end > written {
      let shift = path.last.map { $0.isObject ? 0 : $0.index - $0.count } ?? 0
      try moves.append(outputCount, from: written, indexShift: shift) { offset throws(CofferError) in
        try input.position(at: offset)
      }
      try input.bytes(written..<end).withUnsafeBytes { try sink.write($0) }
      outputCount += end - written
    }
    written = end
    try input.drop(to: end)
  }

  /// Writes bytes that aren't in the input.
  private mutating func put(_ bytes: [UInt8]) throws {
    try sink.write(bytes)
    outputCount += bytes.count
  }

  private mutating func put(_ text: String) throws { try put(Array(text.utf8)) }

  /// Leaves out the bytes up to `end`.
  ///
  /// - Parameter start: where this damage began. If bytes of it were left out before, they are one range.
  private mutating func leaveOut(to end: Int, _ reason: LeftOut.Reason, at start: Int? = nil) throws {
    let range = min(written, end)..<end
    try leave(try entry(reason, range, continues: start.map { $0 < range.lowerBound } ?? false), input.bytes(range))
    written = end
    isApart = true
    try input.drop(to: end)
  }

  private mutating func entry(_ reason: LeftOut.Reason, _ range: Range<Int>, continues: Bool) throws -> LeftOut {
    let position = try input.position(at: range.lowerBound)
    let pointer =
      path.last.map { $0.isObject ? $0.pointer : "\($0.pointer)/\(max(0, $0.index - 1) + input.indexShift)" } ?? ""
    return LeftOut(position: position, byteCount: range.count, pointer: pointer, reason: reason, continues: continues)
  }
}

/// Bytes that outlive the source.
private struct ViewSource: ByteSource {
  var bytes: ByteView

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let piece = bytes.prefix(min(bytes.count, buffer.count))
    piece.withUnsafeBytes { buffer.copyMemory(from: $0) }
    bytes = bytes.dropFirst(piece.count)
    return piece.count
  }
}
