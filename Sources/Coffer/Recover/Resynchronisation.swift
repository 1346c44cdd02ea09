import JSONEvents

/// Looks for the next whole unit behind damage: a record of the array, or a member of the object, that was being read.
///
/// The damage may have removed quotation marks and brackets, so nothing is known for sure. Searches start from the fault, outside of a
/// string and inside, and what is found first counts. A search that takes strings for what is between them finds nothing: every "name"
/// that it sees is punctuation (`RecordShape.isBetweenStrings`), because a string contains no bare quotation mark.
///
/// Brackets are counted as if none were lost, and corrected where JSON shows that some were: a name in an array, or an object without a
/// name in an object. A record at the expected depth needs half of the names of other records; one that seems to be deeper needs three
/// quarters of them. An object inside a lost record has fewer, or else (`RecordShape.isRecursive`) only the expected depth counts.
struct Resynchronisation {
  enum Found: Equatable {
    /// A unit begins here.
    case unit(at: Int)
    /// The container ends with the bracket here.
    case close(at: Int)
    /// The array has ended, its bracket is lost, and a member of the object around it begins here, or that object ends.
    case outerMember(at: Int)
    /// An array of objects begins here, a member of the root whose name is damaged.
    case unnamedArray(at: Int)
    /// A record of another collection begins here: that collection's beginning is lost.
    case record(of: String, at: Int)

    var place: Int {
      switch self {
      case .unit(let place), .close(let place), .outerMember(let place), .unnamedArray(let place), .record(_, let place): place
      }
    }
  }

  /// The answer of a search: what it found, or that it needs more bytes, or that there are no more.
  enum Step: Equatable { case found(Found), more, end }

  /// What is known about the container in which the damage is.
  struct Place {
    let isObject: Bool
    /// True if the container is a member of an object.
    let isMember: Bool
    let shape: RecordShape
    /// The names of the root's members that the rules know.
    let memberNames: Set<[UInt8]>
    /// The collections that have not begun, by the names of the root's members. Empty in a collection that is in another member.
    let otherCollections: [String: RecordShape]
    /// The number of open brackets around a unit.
    let depth: Int

    /// Returns true if it is not a record that has this name, but the object around the collection.
    func isOuter(_ name: [UInt8]) -> Bool { shape.isForeign(name) && (memberNames.isEmpty || memberNames.contains(name)) }
  }

  /// The token before `position`. `other`: a value, or one after which the byte at `position` can't follow.
  private enum Previous { case comma, colon, other, unknown }

  /// The place up to which everything has been looked at.
  private(set) var position: Int
  /// True if a broken string is expected to go on; otherwise, to have ended.
  private let expectsString: Bool
  /// True as a last resort, if nothing was found to the end of the document: then an array or object with a name that no record has is
  /// taken for a member of the object around the collection, whatever brackets seem to be open.
  private let isLastResort: Bool
  private var isInString: Bool
  /// The opening brackets of the containers that are open, inside the one that was being read.
  private var open: [UInt8]
  private var previous = Previous.other
  /// A record of another collection: found, unless one of this collection follows.
  private var pending: Found?
  /// The bytes that scans of single values have looked at. Beyond a multiple of those passed, values are not scanned.
  private var scanned = 0
  private let start: Int

  /// How far behind it one of this collection is looked for.
  private static let pendingLimit = 1 << 20
  /// A string isn't searched further for its end.
  private static let stringLimit = 1 << 20
  private static let object = UInt8(ascii: "{")
  private static let array = UInt8(ascii: "[")

  init(from fault: Int, inString: Bool, open: [UInt8], isLastResort: Bool = false) {
    self.isLastResort = isLastResort
    position = fault
    start = fault
    expectsString = inString
    isInString = inString
    self.open = open
  }

  /// Goes on in the bytes of a scan, whose first one has the offset `base`.
  ///
  /// - Parameter stop: where another search has found something, or to where this one may go.
  mutating func advance(_ scan: ValueScan, base: Int, at place: Place, stop: Int) -> Step {
    var scan = scan
    let step = search(&scan, base: base, at: place, stop: stop)
    guard let pending else { return step }
    switch step {
    case .found(.unit): return step
    case .more where position - pending.place < Self.pendingLimit: return step
    // Another search goes on from there.
    case .end where position >= stop: return step
    default: return .found(pending)
    }
  }

  private mutating func search(_ scan: inout ValueScan, base: Int, at place: Place, stop: Int) -> Step {
    let bytes = scan.bytes
    while position - base < bytes.count, position < stop {
      if isInString {
        skipString(bytes, base)
        continue
      }
      let index = position - base
      let step: Step?
      switch bytes[index] {
      case UInt8(ascii: "\""): step = takeString(&scan, index, place)
      case Self.object, Self.array: step = takeContainer(&scan, index, place)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): step = takeEnd(scan, index, place)
      case UInt8(ascii: ","): step = pass(.comma)
      case UInt8(ascii: ":"): step = pass(.colon)
      case let byte where SyntaxDiagnosis.isSpace(byte): step = pass(previous)
      // Backslashes are only in strings, and an escaped quotation mark begins no string.
      case UInt8(ascii: "\\") where index + 1 < bytes.count && "\"\\".utf8.contains(bytes[index + 1]):
        step = pass(.unknown, to: position + 2)
      default: step = takeScalar(&scan, index, place)
      }
      if let step { return step }
    }
    return scan.isEnd || position >= stop ? .end : .more
  }

  private mutating func pass(_ token: Previous, to end: Int? = nil) -> Step? {
    position = end ?? position + 1
    previous = token
    return nil
  }

  // MARK: Strings

  private mutating func takeString(_ scan: inout ValueScan, _ index: Int, _ place: Place) -> Step? {
    let (bytes, base) = (scan.bytes, position - index)
    switch scan.string(at: index) {
    case .broken(let fault):
      if !expectsString, mayScan(scan.limits) {
        // Its end is lost: what follows may be anything.
        scanned += fault - index
        return pass(.unknown)
      }
      isInString = expectsString
      return pass(.unknown, to: max(position + 1, base + fault))
    case .unfinished:
      if !scan.isEnd, bytes.count - index < Self.stringLimit { return .more }
      isInString = true
      return pass(.unknown)
    case .value(let end):
      guard let next = Self.next(bytes, end) else { return scan.isEnd ? .end : .more }
      let text = bytes[index + 1..<end - 1].array
      if bytes[next] == UInt8(ascii: ":") { return takeName(text, at: index, colon: next, &scan, place) }
      if open.isEmpty, !place.isObject, place.shape.hasStrings, ",]".utf8.contains(bytes[next]),
        !RecordShape.isBetweenStrings(text)
      {
        return .found(.unit(at: position))
      }
      return pass(.other, to: base + end)
    }
  }

  /// Takes a name. Of the rules about lost brackets, the first one that applies decides.
  private mutating func takeName(_ name: [UInt8], at index: Int, colon: Int, _ scan: inout ValueScan, _ place: Place) -> Step? {
    let after = position - index + colon + 1
    if RecordShape.isBetweenStrings(name) { return pass(.unknown, to: after) }
    // A known collection begins, whatever seems to be open.
    if place.isObject, place.otherCollections[String(decoding: name, as: UTF8.self)] != nil { return .found(.unit(at: position)) }
    if !place.isObject, place.isMember {
      if !place.memberNames.isEmpty, place.isOuter(name) { return .found(.outerMember(at: position)) }
      if isLastResort, place.shape.isForeign(name) {
        guard let value = Self.next(scan.bytes, colon + 1), [Self.object, Self.array].contains(scan.bytes[value]) else {
          return pass(.colon, to: after)
        }
        return .found(.outerMember(at: position))
      }
      if open.isEmpty, place.isOuter(name) { return .found(.outerMember(at: position)) }
    }
    if open.last == Self.array || open.isEmpty && !place.isObject {
      correctOpen(atName: name, place.shape)
    } else if open.isEmpty, place.isMember || place.memberNames.isEmpty || place.memberNames.contains(name),
      let step = takeMember(at: index, colon: colon, &scan, place)
    {
      return step
    }
    return pass(.colon, to: after)
  }

  /// Takes what may be a member of the object: it is one if its value is whole. Returns `nil` if it is none.
  private mutating func takeMember(at index: Int, colon: Int, _ scan: inout ValueScan, _ place: Place) -> Step? {
    let bytes = scan.bytes
    guard let start = Self.next(bytes, colon + 1) else { return scan.isEnd ? .end : .more }
    // A member of the root that is a large or damaged array or object is read in parts.
    let isReadInParts = [Self.object, Self.array].contains(bytes[start]) && !place.isMember
    switch scanValue(&scan, start, place) {
    case .value(let end):
      guard let next = Self.next(bytes, end) else { return scan.isEnd ? .found(.unit(at: position)) : .more }
      guard ",}".utf8.contains(bytes[next]) else { return nil }
      if place.isMember || Self.endOfNested(bytes, next) == nil { return .found(.unit(at: position)) }
      // The bracket that began this object is lost.
      open.append(Self.object)
      return nil
    case .unfinished:
      if isReadInParts { return .found(.unit(at: position)) }
      return !scan.isEnd && bytes.count - index < scan.limits.tokenSize ? .more : nil
    case .broken: return isReadInParts ? .found(.unit(at: position)) : nil
    case nil: return nil
    }
  }

  /// Corrects the open brackets at a name in an array: the array's own bracket is lost, or the one before the name.
  private mutating func correctOpen(atName name: [UInt8], _ shape: RecordShape) {
    if shape.knows(name), !shape.isRecursive { open = [] }
    open.append(Self.object)
  }

  /// Returns the place of the bracket with which an object ends, if it ends before the bytes do, and more follows it: then the object is
  /// not the root.
  ///
  /// - Parameter start: a place in the object, outside of the containers in it.
  static func endOfNested(_ bytes: ByteView, _ start: Int) -> Int? {
    var index = start
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = endOfString(bytes, index)
      case object, array: depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return next(bytes, index + 1).flatMap { bytes[$0] == UInt8(ascii: ",") ? index : nil } }
        depth -= 1
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Goes on behind the end of a string, or at a character that no string contains.
  private mutating func skipString(_ bytes: ByteView, _ base: Int) {
    var index = position - base
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte < 0x20 && !expectsString {
        isInString = false
        index += byte < 0x20 ? 0 : 1
        break
      }
      index += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    position = base + min(index, bytes.count)
    previous = .other
  }

  // MARK: Containers

  private mutating func takeContainer(_ scan: inout ValueScan, _ index: Int, _ place: Place) -> Step? {
    let (bytes, base) = (scan.bytes, position - index)
    let byte = bytes[index]
    // A value without a name ends the object: its bracket is lost.
    if previous == .comma || previous == .other {
      while open.last == Self.object { open.removeLast() }
    }
    if byte == Self.array, place.isObject, !place.isMember, open.isEmpty {
      guard let next = Self.next(bytes, index + 1) else { return scan.isEnd ? .end : .more }
      if bytes[next] == Self.object { return .found(.unnamedArray(at: position)) }
    }
    switch scanValue(&scan, index, place) {
    case .value(let end):
      let isFollowed: Bool
      if let next = Self.next(bytes, end) {
        isFollowed = ",]{".utf8.contains(bytes[next])
      } else {
        if !scan.isEnd { return .more }
        isFollowed = true
      }
      let names = scan.names.map { bytes[$0].array }
      if isFollowed, !place.isObject, accepts(byte, names, place.shape) { return .found(.unit(at: position)) }
      if isFollowed, byte == Self.object, previous != .colon, !place.shape.isLike(names),
        !names.allSatisfy(place.shape.knowsInside),
        let other = place.otherCollections.filter({ $0.value.fits(names) }).keys.sorted().first
      {
        if place.isObject { return .found(.record(of: other, at: position)) }
        pending = pending ?? .record(of: other, at: position)
      }
      if previous == .colon || open.isEmpty == place.isObject { return pass(.other, to: base + end) }
      // It is no record, but a lost bracket may have put records into it.
      open.append(byte)
      return pass(.unknown)
    // A stray brace: no object has begun.
    case .broken(let fault) where byte == Self.object && fault == index + 1: return pass(.unknown)
    case .broken(let fault):
      open += scan.open
      guard let string = scan.brokenString else { return pass(.other, to: max(position + 1, base + fault)) }
      isInString = expectsString
      return pass(.unknown, to: expectsString ? max(position + 1, base + fault) : base + string + 1)
    case .unfinished where !scan.isEnd && bytes.count - index < scan.limits.tokenSize: return .more
    case .unfinished, nil:
      // What is in it may still be whole.
      open.append(byte)
      return pass(.unknown)
    }
  }

  private func accepts(_ byte: UInt8, _ names: [[UInt8]], _ shape: RecordShape) -> Bool {
    guard byte == Self.object else { return open.isEmpty && previous == .comma && shape.hasOthers && !shape.hasStrings }
    if open.isEmpty { return shape.mayBe(names) }
    return !shape.isRecursive && shape.isLike(names)
  }

  private mutating func takeEnd(_ scan: ValueScan, _ index: Int, _ place: Place) -> Step? {
    let (bytes, isEnd) = (scan.bytes, scan.isEnd)
    let byte = bytes[index]
    // `}` is two after `{` in ASCII, and `]` two after `[`.
    if let last = open.lastIndex(of: byte - 2) {
      open.removeSubrange(last...)
    } else if (byte == UInt8(ascii: "}")) == place.isObject {
      if place.isMember, !place.isObject, let brace = Self.next(bytes, index + 1), bytes[brace] == UInt8(ascii: "}") {
        if endsOuter(bytes, brace + 1, isEnd, place) { return .found(.close(at: position)) }
        return pass(.other)
      }
      guard
        let ends = Self.mayEnd(bytes, index + 1, isObject: place.isObject, isMember: place.isMember, isDamaged: true)
          ?? (isEnd ? true : nil)
      else { return .more }
      if ends {
        guard let name = Self.name(after: bytes, index + 1), place.shape.knows(name) || place.shape.knowsInside(name) else {
          return .found(.close(at: position))
        }
        // A record goes on behind an array in it.
        if !place.isObject { open = [Self.object] }
      }
    } else if byte == UInt8(ascii: "}"), place.isMember, endsOuter(bytes, index + 1, isEnd, place) {
      return .found(.outerMember(at: position))
    }
    return pass(.other)
  }

  /// Returns true if a brace before `start`, in an array, may end the object around the array.
  private func endsOuter(_ bytes: ByteView, _ start: Int, _ isEnd: Bool, _ place: Place) -> Bool {
    if place.depth == 2 { return Self.mayEnd(bytes, start, isObject: true, isMember: false, isDamaged: true) ?? isEnd }
    if let name = Self.name(after: bytes, start) { return !place.shape.knows(name) && !place.shape.knowsInside(name) }
    return Self.next(bytes, start).map { bytes[$0] == UInt8(ascii: "}") } ?? isEnd
  }

  /// Returns whether a bracket before `start` may end its container: it can't if more of the container follows. `nil` if the bytes end
  /// before that is known.
  ///
  /// - Parameter isDamaged: true to take it for an end only if what belongs there follows.
  static func mayEnd(_ bytes: ByteView, _ start: Int, isObject: Bool, isMember: Bool, isDamaged: Bool = false) -> Bool? {
    guard var index = next(bytes, start) else { return nil }
    // A few more brackets may be doubled, too.
    for _ in 0..<8 where !isMember && "]}".utf8.contains(bytes[index]) {
      guard let after = next(bytes, index + 1) else { return nil }
      index = after
    }
    switch bytes[index] {
    case UInt8(ascii: ":"): return false
    case UInt8(ascii: ","):
      guard let value = next(bytes, index + 1) else { return nil }
      return isMember && (isObject || (isDamaged ? "\"" : "\"}]").utf8.contains(bytes[value]))
    case UInt8(ascii: "\"") where !isMember:
      // Another member follows the document's bracket: it is one too many.
      let end = endOfString(bytes, index)
      return end < bytes.count && next(bytes, end + 1).map { bytes[$0] == UInt8(ascii: ":") } == true ? false : !isDamaged
    case object: return !isMember && !isDamaged
    case UInt8(ascii: "}") where isMember && !isDamaged: return true
    default: return !isDamaged
    }
  }

  /// Returns the name behind a comma, if there is one.
  private static func name(after bytes: ByteView, _ start: Int) -> [UInt8]? {
    guard let comma = next(bytes, start), bytes[comma] == UInt8(ascii: ","), let quote = next(bytes, comma + 1),
      bytes[quote] == UInt8(ascii: "\"")
    else { return nil }
    let end = endOfString(bytes, quote)
    return end < bytes.count ? bytes[quote + 1..<end].array : nil
  }

  // MARK: Numbers and literals

  private mutating func takeScalar(_ scan: inout ValueScan, _ index: Int, _ place: Place) -> Step? {
    let shape = place.shape
    guard open.isEmpty, !place.isObject, previous == .comma, shape.hasOthers, !shape.hasStrings, shape.recordCount == 0,
      case .value(let end) = scan.scan(from: index, depth: place.depth)
    else { return pass(.unknown) }
    guard let next = Self.next(scan.bytes, end) else { return scan.isEnd ? pass(.unknown) : .more }
    return ",]".utf8.contains(scan.bytes[next]) ? .found(.unit(at: position)) : pass(.unknown)
  }

  // MARK: Bytes

  private func mayScan(_ limits: ReaderLimits) -> Bool { scanned <= 16 * (position - start) + 4 * limits.tokenSize }

  /// Returns `nil` if too much has been scanned already.
  private mutating func scanValue(_ scan: inout ValueScan, _ index: Int, _ place: Place) -> ValueScan.Outcome? {
    guard mayScan(scan.limits) else { return nil }
    let outcome = scan.scan(from: index, depth: place.depth + open.count)
    switch outcome {
    case .value(let end): scanned += end - index
    case .broken(let fault): scanned += fault - index
    case .unfinished: scanned += scan.bytes.count - index
    }
    return outcome
  }

  /// Returns the place of the quotation mark that ends the string at `quote`. If the bytes end before, it is behind them.
  private static func endOfString(_ bytes: ByteView, _ quote: Int) -> Int {
    var index = quote + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
    return index
  }

  /// Returns the place of the next byte that is no white space, or `nil` if the bytes end before.
  private static func next(_ bytes: ByteView, _ start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      if !SyntaxDiagnosis.isSpace(bytes[index]) { return index }
      index += 1
    }
    return nil
  }
}
