import CPCRE2
import JSONEvents

/// The grammar of a format, written as a pattern for PCRE2 that reads like the ABNF of its specification. Owns the compiled code.
///
/// Repetitions are possessive (`*+`): what a rule takes, no later one gives back. So a text is read once, and no limit of PCRE2
/// ends the search. Cost: linear in the text.
final class Grammar: @unchecked Sendable {
  // @unchecked: compiled PCRE2 code is read-only.
  private let code: OpaquePointer

  /// - Parameter isWhole: false if other text may follow.
  private init(_ pattern: String, isWhole: Bool = true) {
    let text = Array("^(?:\(pattern))\(isWhole ? "\\z" : "")".utf8)
    let options = UInt32(PCRE2_UTF) | UInt32(PCRE2_NO_AUTO_CAPTURE)
    var (error, offset): (CInt, Int) = (0, 0)
    guard let code = pcre2_compile_8(text, text.count, options, &error, &offset, nil) else {
      preconditionFailure("the grammar is wrong at \(offset): \(pattern)")
    }
    // On platforms without a JIT, PCRE2 falls back to its interpreter.
    pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE))
    self.code = code
  }

  deinit { pcre2_code_free_8(code) }

  /// Returns whether a text, which must be UTF-8, has this form.
  func accepts(_ text: ByteView) -> Bool { length(in: text) != nil }

  /// Returns the number of bytes at the text's start that have this form.
  private func length(in text: ByteView) -> Int? {
    guard let data = pcre2_match_data_create_8(1, nil) else { fatalError("out of memory") }
    defer { pcre2_match_data_free_8(data) }
    return text.withUnsafeBytes { bytes in
      let start = bytes.bindMemory(to: UInt8.self).baseAddress
      var result = pcre2_match_8(code, start, bytes.count, 0, UInt32(PCRE2_NO_UTF_CHECK), data, nil)
      if result == PCRE2_ERROR_JIT_STACKLIMIT {
        result = pcre2_match_8(code, start, bytes.count, 0, UInt32(PCRE2_NO_UTF_CHECK) | UInt32(PCRE2_NO_JIT), data, nil)
      }
      guard result > 0, let offsets = pcre2_get_ovector_pointer_8(data) else { return nil }
      return offsets[1]
    }
  }
}

/// The character set of a text: several formats have an internationalized variant.
enum Repertoire: Sendable {
  case ascii, unicode
}

/// Addresses: of resources, hosts and mailboxes.
extension Grammar {
  /// URIs in the grammar of RFC 3986, appendix A, and IRIs in that of RFC 3987, section 2.2.
  ///
  ///     scheme://user@host:port/path?query#fragment
  ///             └─────────────┘                       authority, only after `//`
  static let uri = Grammar(identifier(.ascii))
  static let iri = Grammar(identifier(.unicode))
  /// A reference may omit the scheme and the parts after it. Then the first segment of its path has no `:`, which would end a
  /// scheme.
  static let uriReference = Grammar(identifier(.ascii, isReference: true))
  static let iriReference = Grammar(identifier(.unicode, isReference: true))
  /// Four decimal numbers of 0 to 255 (RFC 2673, section 3.2), without leading zeros, which some readers take as octal.
  static let ipv4 = Grammar(ipv4Address)
  static let ipv6 = Grammar(ipv6Address())
  /// URI templates (RFC 6570, section 2), of any level.
  ///
  ///     /users/{id}{?page,size*,name:20}
  ///            └──┘└───────────────────┘    expressions; the rest is literal
  ///
  /// The operators that section 2.2 reserves are accepted, as its grammar has them.
  static let uriTemplate: Grammar = {
    // The apostrophe is among the literal characters, which the RFC's grammar omits by mistake (erratum 6937).
    let literal = "[\(alphanumeric)!#$&'()*+,\\-./:;=?@\\[\\]_~\(universalCharacters)\(privateCharacters)]++|\(octet)"
    let part = "(?:[\(alphanumeric)_]++|\(octet))++"
    let variable = "\(part)(?:\\.\(part))*+(?::[1-9][0-9]{0,3}|\\*)?+"
    return Grammar("(?:\(literal)|\\{[+#./;?&=,!@|]?+\(variable)(?:,\(variable))*+\\})*+")
  }()

  private static let alphanumeric = "A-Za-z0-9"
  private static let hexadecimal = "0-9A-Fa-f"
  /// A percent-encoded octet (RFC 3986, section 2.1).
  private static let octet = "%[\(hexadecimal)]{2}"

  private static func identifier(_ repertoire: Repertoire, isReference: Bool = false) -> String {
    let unreserved = "\(alphanumeric)\\-._~" + (repertoire == .unicode ? iriCharacters : "")
    let name = unreserved + "!$&'()*+,;="
    func run(_ set: String) -> String { "(?:[\(set)]++|\(octet))*+" }
    let scheme = "[A-Za-z][\(alphanumeric)+\\-.]*+:"
    let futureAddress = "[vV][\(hexadecimal)]++\\.[\(alphanumeric)\\-._~!$&'()*+,;=:]++"
    let host = "(?:\\[(?:\(ipv6Address())|\(futureAddress))\\]|\(run(name)))"
    let authority = "(?:\(run(name + ":"))@)?+\(host)(?::[0-9]*+)?+(?=[/?#]|\\z)"
    let query = run(name + ":@/?" + (repertoire == .unicode ? privateCharacters : ""))
    let rest = "(?:(?!//)|//\(authority))\(run(name + ":@/"))(?:\\?\(query))?+(?:#\(run(name + ":@/?")))?+"
    return isReference ? "(?:\(scheme)|(?!\(run(name + "@")):))\(rest)" : scheme + rest
  }

  private static let ipv4Address: String = {
    let number = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
    return "\(number)(?:\\.\(number)){3}"
  }()

  /// Eight groups of up to four hexadecimal digits (RFC 4291, section 2.2), without a zone.
  ///
  ///     2001:db8:0:0:8:800:200c:417a
  ///     2001:db8::8:800:200c:417a       `::` once, for groups of zeros
  ///     ::ffff:192.0.2.33               the last two groups as an IPv4 address
  ///
  /// - Parameter elided: the minimum number of groups that `::` must replace.
  private static func ipv6Address(eliding elided: Int = 1) -> String {
    let group = "[\(hexadecimal)]{1,4}"
    let lastTwo = "(?:\(group):\(group)|\(ipv4Address))"
    let shortened = (0...8 - elided).map { before in
      let after = 8 - elided - before
      let head = before == 0 ? "" : "(?:\(group):){\(before - 1)}\(group)"
      return head + "::"
        + (after == 0 ? "" : after == 1 ? "(?:\(group))?" : "(?:(?:\(group):){0,\(after - 2)}\(lastTwo)|\(group))?")
    }
    return "(?:" + (["(?:\(group):){6}\(lastTwo)"] + shortened).joined(separator: "|") + ")"
  }

  /// `ucschar` of RFC 3987, section 2.2: all but controls, private use, noncharacters, and the specials and tags at the end of
  /// their planes.
  private static let universalCharacters = "\\x{A0}-\\x{D7FF}" + furtherCharacters
  /// `ucschar` without the marks that change the writing direction: section 4.1 excludes them from IRIs, because they change how
  /// one looks.
  private static let iriCharacters = "\\x{A0}-\\x{200D}\\x{2010}-\\x{2029}\\x{202F}-\\x{D7FF}" + furtherCharacters
  private static let furtherCharacters =
    "\\x{F900}-\\x{FDCF}\\x{FDF0}-\\x{FFEF}" + (1...0xD).map { planeCharacters($0) }.joined() + "\\x{E1000}-\\x{EFFFD}"
  /// `iprivate`.
  private static let privateCharacters = "\\x{E000}-\\x{F8FF}" + planeCharacters(0xF) + planeCharacters(0x10)

  private static func planeCharacters(_ plane: Int) -> String {
    let digits = String(plane, radix: 16)
    return "\\x{\(digits)0000}-\\x{\(digits)FFFD}"
  }

  /// Returns whether a text is a mail address: `Mailbox` of RFC 5321, section 4.1.2, or of its extension by RFC 6531, section 3.3.
  ///
  ///     joe.bloggs@example.com
  ///     "joe bloggs"@example.com
  ///     joe.bloggs@[IPv6:2001:db8::1]
  static func isMailbox(_ text: ByteView, _ repertoire: Repertoire) -> Bool {
    // The limit of 64 is that of section 4.5.3.1.1.
    guard let end = (repertoire == .ascii ? localPart : unicodeLocalPart).length(in: text), end <= 65 else { return false }
    let domain = text.dropFirst(end)
    if domain.count > 0, domain[0] == UInt8(ascii: "[") { return addressLiteral.accepts(domain) }
    // RFC 6531 allows any UTF-8; the name is looked up in NFC.
    return HostName.accepts(domain, repertoire, isMailDomain: true)
  }

  private static let localPart = Grammar(mailboxName(""), isWhole: false)
  private static let unicodeLocalPart = Grammar(mailboxName("\\x{80}-\\x{10FFFF}"), isWhole: false)

  /// `Dot-string` or `Quoted-string`, and the `@`.
  private static func mailboxName(_ further: String) -> String {
    let atom = "[\(alphanumeric)!#$%&'*+\\-/=?^_`{|}~\(further)]++"
    return "(?:\(atom)(?:\\.\(atom))*+|\"(?:[ !#-\\[\\]-~\(further)]++|\\\\[ -~])*+\")@"
  }

  /// `address-literal` (section 4.1.3): an IPv4 address, or an IPv6 one after `IPv6:`, the only tag ever registered. There `::`
  /// replaces at least two groups.
  private static let addressLiteral = Grammar("\\[(?:\(ipv4Address)|[Ii][Pp][Vv]6:\(ipv6Address(eliding: 2)))\\]")
}

/// Short texts.
extension Grammar {
  /// A duration (RFC 3339, appendix A).
  ///
  ///     P1Y2M3DT4H5M6S    a unit is followed by the next smaller one or none: P1Y2D and PT1H2S are invalid
  ///     P2W               weeks can't be combined
  ///
  /// Numbers are whole. By the appendix's ABNF (RFC 5234, section 2.3), letters may have either case.
  static let duration: Grammar = {
    func units(_ large: String, _ middle: String, _ small: String) -> String {
      let (large, middle, small) = ("[0-9]++[\(large)]", "[0-9]++[\(middle)]", "[0-9]++[\(small)]")
      return "(?:\(large)(?:\(middle)(?:\(small))?)?|\(middle)(?:\(small))?|\(small))"
    }
    let time = "[Tt]" + units("Hh", "Mm", "Ss")
    return Grammar("[Pp](?:\(units("Yy", "Mm", "Dd"))(?:\(time))?|\(time)|[0-9]++[Ww])")
  }()
  /// A colour: `#RRGGBB`, digits of either case.
  ///
  /// The apps whose backups contain colours write this form, and it is the only one that they all read: one of them shows the
  /// short forms as grey, and in eight digits the alpha comes first on some platforms and last on others.
  static let color = Grammar("#[\(hexadecimal)]{6}")
  /// Text in the alphabet of RFC 4648, section 4, the last group of four characters padded. The length is not checked.
  static let base64 = Grammar("[\(alphanumeric)+/]*+={0,2}")
  /// A JSON Pointer (RFC 6901, section 3): empty, or tokens with a `/` before each; `~` occurs only in `~0` and `~1`.
  static let pointer = Grammar(pointerText)
  /// A relative JSON Pointer (draft-bhutton-relative-json-pointer-00, section 3).
  ///
  ///     2-1/name    two levels up, to the item before that, then down by a pointer
  ///     0#          the key or index of the place itself
  ///
  /// The draft's examples also move the index before a `#`, which its grammar omits.
  static let relativePointer: Grammar = {
    let number = "(?:0|[1-9][0-9]*+)"
    return Grammar("\(number)(?:[+\\-]\(number))?+(?:#|\(pointerText))")
  }()
  private static let pointerText = "(?:/(?:[^~]++|~[01])*+)?+"
}
