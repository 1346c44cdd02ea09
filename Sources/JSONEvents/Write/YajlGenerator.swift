internal import CYajl

/// The only owner of a `yajl_gen` and its text.
///
/// yajl_gen writes commas, indentation and escapes. ``JSONNesting`` prevents the errors that it doesn't detect (a key instead of
/// a value, the wrong bracket, too many levels), so every call here succeeds, and any other status is a programming error.
struct YajlGenerator: ~Copyable {
  private let handle: yajl_gen
  /// The output of yajl_gen, which keeps the address.
  private let text: UnsafeMutablePointer<coffer_yajl_text>

  /// yajl_gen keeps the pointer to its indent string, which must therefore live as long as the process.
  private static let blanks: StaticString = "                "
  static let widestIndent = blanks.utf8CodeUnitCount

  /// - Parameter indent: the number of blanks per level, at most ``widestIndent``, or `nil` for text on one line.
  init(indent: Int?, escapesSlashes: Bool) {
    guard let handle = yajl_gen_alloc(nil) else { preconditionFailure("out of memory") }
    self.handle = handle
    text = .allocate(capacity: 1)
    text.initialize(to: coffer_yajl_text())
    _ = coffer_yajl_gen_print_to(handle, text)
    if let indent {
      precondition((0...Self.widestIndent).contains(indent), "an indent of \(indent) blanks is out of range")
      let start = Self.blanks.utf8Start + (Self.widestIndent - indent)
      start.withMemoryRebound(to: CChar.self, capacity: indent + 1) { text in
        _ = coffer_yajl_gen_beautify(handle, text)
      }
    }
    if escapesSlashes { _ = coffer_yajl_gen_escape_solidus(handle) }
  }

  deinit {
    yajl_gen_free(handle)
    coffer_yajl_text_free(text)
    text.deallocate()
  }

  func beginObject() { check(yajl_gen_map_open(handle)) }
  func endObject() { check(yajl_gen_map_close(handle)) }
  func beginArray() { check(yajl_gen_array_open(handle)) }
  func endArray() { check(yajl_gen_array_close(handle)) }
  func null() { check(yajl_gen_null(handle)) }
  func boolean(_ value: Bool) { check(yajl_gen_bool(handle, value ? 1 : 0)) }

  /// Writes a key or a string: yajl_gen distinguishes them by its state.
  func string(_ start: UnsafePointer<UInt8>, count: Int) { check(yajl_gen_string(handle, start, count)) }

  /// Copies the number's text unchanged.
  func number(_ start: UnsafePointer<UInt8>, count: Int) {
    start.withMemoryRebound(to: CChar.self, capacity: count) { check(yajl_gen_number(handle, $0, count)) }
  }

  /// Prepares for another root value, after a line break if `separated`.
  func reset(separated: Bool) { yajl_gen_reset(handle, separated ? "\n" : nil) }

  /// The text since the last `clear()`; valid until the next call.
  var buffer: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text.pointee.start, count: text.pointee.end - text.pointee.start)
  }

  /// Empties the buffer and keeps its capacity.
  func clear() { text.pointee.end = text.pointee.start }

  private func check(_ status: yajl_gen_status) {
    precondition(status == yajl_gen_status_ok, "yajl_gen returned \(status.rawValue)")
  }
}
