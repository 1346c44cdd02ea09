import ByteStreams

/// The text of a report, which goes to its sink in pieces of 64 KiB. What follows an error of the sink is dropped.
///
/// Memory: 64 KiB, and the longest text.
final class ReportText {
  private static let pieceSize = 64 << 10

  private var sink: any ByteSink
  private var bytes: [UInt8] = []
  private var drainedCount = 0
  private var failure: CofferError?

  fileprivate init(to sink: any ByteSink) { self.sink = sink }

  /// The number of bytes so far.
  var count: Int { drainedCount + bytes.count }

  func put(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    if bytes.count >= Self.pieceSize { drain() }
  }

  private func drain() {
    do throws(CofferError) {
      if failure == nil { try sink.write(bytes) }
    } catch {
      failure = error
    }
    drainedCount += bytes.count
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes the rest of the text, and returns the sink.
  fileprivate func finish() throws(CofferError) -> any ByteSink {
    drain()
    if let failure { throw failure }
    return sink
  }
}

/// A report that is written as text, from its start to its end.
protocol WrittenReport {
  func write(_ text: ReportText)
}

extension WrittenReport {
  func write<Sink: ByteSink>(to sink: inout Sink) throws(CofferError) {
    let text = ReportText(to: sink)
    write(text)
    sink = try text.finish() as? Sink ?? sink
  }
}

/// Untrusted text in other languages: it must stay text there.
extension String {
  /// The text for XML and HTML, in elements and in quoted attributes. Control characters and those that change the text's
  /// direction are shown as `\u{…}`; XML 1.0 can't hold some of them, not even as references.
  var markup: String {
    printable.replacingScalars {
      switch $0 {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      case "\u{FFFE}", "\u{FFFF}": "\\u{\(String($0.value, radix: 16, uppercase: true))}"
      default: nil
      }
    }
  }

  /// The text for GitHub's Markdown, in paragraphs, tables and HTML elements: characters with a meaning there become
  /// references, which aren't read as Markdown.
  var markdown: String {
    var previous: Unicode.Scalar = " "
    return printable.replacingScalars { scalar in
      defer { previous = scalar }
      // GitHub makes links of addresses that begin with www.
      if scalar == ".", previous == "w" || previous == "W" { return "&#46;" }
      let isPlain = !scalar.isASCII || scalar.properties.isAlphabetic || " 0123456789.,;/%()?-".unicodeScalars.contains(scalar)
      return isPlain ? nil : "&#\(scalar.value);"
    }
  }

  /// The text as a path in a URI reference (RFC 3986).
  var uriPath: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text as a word of a command line for a shell: `'two words'`.
  package var shellWord: String {
    let isPlain = unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_./:=@%+,".unicodeScalars.contains($0))
    }
    return isPlain && !isEmpty ? self : "'\(replacing("'", with: "'\\''"))'"
  }

  /// Returns the text with `replacement` for the scalars for which it isn't `nil`.
  ///
  /// Characters won't do: one that is followed by a combining mark is another character.
  func replacingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
    var text = ""
    for scalar in unicodeScalars {
      if let replaced = replacement(scalar) { text += replaced } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}
