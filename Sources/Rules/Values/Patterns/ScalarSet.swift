/// A set of characters: a class in a pattern, or an escape such as `\s`.
struct ScalarSet: Equatable {
  static let digits = ScalarSet([0x30...0x39])
  static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  /// If case is ignored, `\w` also contains the characters that fold to an ASCII letter: the long s and the Kelvin sign (section
  /// 22.2.2.7.3).
  static let wordIgnoringCase = ScalarSet(word.ranges + [0x17F...0x17F, 0x212A...0x212A])
  /// WhiteSpace and LineTerminator (sections 12.2 and 12.3).
  static let whiteSpace = ScalarSet([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F, 0x205F...0x205F,
    0x3000...0x3000, 0xFEFF...0xFEFF,
  ])
  static let lineTerminators = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])
  static let everything = ScalarSet([0...0x10FFFF])
  static let nothing = ScalarSet([])

  /// The ranges: sorted for constants and complements, in source order for a class.
  private(set) var ranges: [ClosedRange<UInt32>]
  /// Properties that only PCRE2 knows, such as `\p{Lu}`.
  private(set) var properties: [String] = []
  var isNegated = false

  init(_ ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

  /// Creates the set of the characters with a property, in PCRE2's spelling.
  init(property: String) {
    self.ranges = []
    self.properties = [property]
  }

  /// All other characters. The receiver's ranges must be in order, and it must have no properties.
  var complement: ScalarSet {
    var rest: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { rest.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= 0x10FFFF { rest.append(next...0x10FFFF) }
    return ScalarSet(rest)
  }

  mutating func insert(_ other: ScalarSet) {
    ranges += other.ranges
    properties += other.properties
  }

  /// Adds a range of code points. Surrogates are left out, because UTF-8 has none.
  mutating func insert(_ range: ClosedRange<UInt32>) {
    let lower = (0xD800...0xDFFF).contains(range.lowerBound) ? 0xE000 : range.lowerBound
    let upper = (0xD800...0xDFFF).contains(range.upperBound) ? 0xD7FF : range.upperBound
    if lower <= upper { ranges.append(lower...upper) }
  }
}

/// The properties of `\p{…}`, by their names in ECMA-262 (section 22.2.2.10). The names are exact, unlike PCRE2's, which are
/// matched loosely.
///
/// The characters of a property come from PCRE2: Unicode 14 in version 10.42. It rejects newer scripts.
enum UnicodeProperty {
  /// Returns the characters of `\p{text}`, or with `isNegated` of `\P{text}`, or `nil` if ECMA-262 has no such property.
  static func set(_ text: String, isNegated: Bool) -> ScalarSet? {
    switch text {
    case "Any": return isNegated ? .nothing : .everything
    case "ASCII": return isNegated ? ScalarSet([0x80...0x10FFFF]) : ScalarSet([0...0x7F])
    // Everything with a category other than Unassigned.
    case "Assigned": return ScalarSet(property: isNegated ? "\\p{Cn}" : "\\P{Cn}")
    default: return item(text).map { ScalarSet(property: (isNegated ? "\\P{" : "\\p{") + $0 + "}") }
    }
  }

  /// Describes what is wrong with a text that is not a property.
  static func fault(of text: String) -> String {
    if scripts.contains(text) { return "a script needs a prefix: write Script=\(text)" }
    return "'\(text)' is not an ECMA-262 property (names are exact, as in L, Lu, Script=Greek or Alphabetic)"
  }

  /// Returns PCRE2's name.
  private static func item(_ text: String) -> String? {
    guard let equals = text.firstIndex(of: "=") else {
      return categories[text] ?? (binaries.contains(text) ? text : nil)
    }
    let value = String(text[text.index(after: equals)...])
    switch text[..<equals] {
    case "General_Category", "gc": return categories[value]
    case "Script", "sc": return scripts.contains(value) ? "sc:" + value : nil
    case "Script_Extensions", "scx": return scripts.contains(value) ? "scx:" + value : nil
    default: return nil
    }
  }

  /// Table 67 and Unicode's PropertyValueAliases.txt: the short name of each.
  private static let categories: [String: String] = {
    var names = ["Combining_Mark": "M", "cntrl": "Cc", "digit": "Nd", "punct": "P", "LC": "L&", "Cased_Letter": "L&"]
    let table = words(
      """
      C Other Cc Control Cf Format Cn Unassigned Co Private_Use Cs Surrogate L Letter Ll Lowercase_Letter Lm Modifier_Letter
      Lo Other_Letter Lt Titlecase_Letter Lu Uppercase_Letter M Mark Mc Spacing_Mark Me Enclosing_Mark Mn Nonspacing_Mark
      N Number Nd Decimal_Number Nl Letter_Number No Other_Number P Punctuation Pc Connector_Punctuation Pd Dash_Punctuation
      Pe Close_Punctuation Pf Final_Punctuation Pi Initial_Punctuation Po Other_Punctuation Ps Open_Punctuation S Symbol
      Sc Currency_Symbol Sk Modifier_Symbol Sm Math_Symbol So Other_Symbol Z Separator Zl Line_Separator
      Zp Paragraph_Separator Zs Space_Separator
      """)
    for index in stride(from: 0, to: table.count, by: 2) {
      names[table[index]] = table[index]
      names[table[index + 1]] = table[index]
    }
    return names
  }()

  /// Table 68. PCRE2 10.42 lacks Changes_When_NFKC_Casefolded, and reports it.
  private static let binaries = Set(
    words(
      """
      ASCII_Hex_Digit AHex Alphabetic Alpha Bidi_Control Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable CI Cased
      Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased CWL Changes_When_NFKC_Casefolded CWKCF
      Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia
      Emoji Emoji_Component EComp Emoji_Modifier EMod Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic
      ExtPict Extender Ext Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex IDS_Binary_Operator IDSB
      IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS Ideographic Ideo Join_Control Join_C Logical_Order_Exception LOE
      Lowercase Lower Math Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS Quotation_Mark QMark
      Radical Regional_Indicator RI Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph UIdeo
      Uppercase Upper Variation_Selector VS White_Space space XID_Continue XIDC XID_Start XIDS
      """))

  /// The short and the long name of each script of Unicode 17, and two older aliases.
  private static let scripts = Set(
    words(
      """
      Qaac Qaai
      Adlm Adlam Aghb Caucasian_Albanian Ahom Ahom Arab Arabic Armi Imperial_Aramaic Armn Armenian Avst Avestan Bali Balinese
      Bamu Bamum Bass Bassa_Vah Batk Batak Beng Bengali Berf Beria_Erfe Bhks Bhaiksuki Bopo Bopomofo Brah Brahmi Brai Braille
      Bugi Buginese Buhd Buhid Cakm Chakma Cans Canadian_Aboriginal Cari Carian Cham Cham Cher Cherokee Chrs Chorasmian Copt
      Coptic Cpmn Cypro_Minoan Cprt Cypriot Cyrl Cyrillic Deva Devanagari Diak Dives_Akuru Dogr Dogra Dsrt Deseret Dupl
      Duployan Egyp Egyptian_Hieroglyphs Elba Elbasan Elym Elymaic Ethi Ethiopic Gara Garay Geor Georgian Glag Glagolitic Gong
      Gunjala_Gondi Gonm Masaram_Gondi Goth Gothic Gran Grantha Grek Greek Gujr Gujarati Gukh Gurung_Khema Guru Gurmukhi Hang
      Hangul Hani Han Hano Hanunoo Hatr Hatran Hebr Hebrew Hira Hiragana Hluw Anatolian_Hieroglyphs Hmng Pahawh_Hmong Hmnp
      Nyiakeng_Puachue_Hmong Hung Old_Hungarian Ital Old_Italic Java Javanese Kali Kayah_Li Kana Katakana Kawi Kawi Khar
      Kharoshthi Khmr Khmer Khoj Khojki Kits Khitan_Small_Script Knda Kannada Krai Kirat_Rai Kthi Kaithi Lana Tai_Tham Laoo
      Lao Latn Latin Lepc Lepcha Limb Limbu Lina Linear_A Linb Linear_B Lisu Lisu Lyci Lycian Lydi Lydian Mahj Mahajani Maka
      Makasar Mand Mandaic Mani Manichaean Marc Marchen Medf Medefaidrin Mend Mende_Kikakui Merc Meroitic_Cursive Mero
      Meroitic_Hieroglyphs Mlym Malayalam Modi Modi Mong Mongolian Mroo Mro Mtei Meetei_Mayek Mult Multani Mymr Myanmar Nagm
      Nag_Mundari Nand Nandinagari Narb Old_North_Arabian Nbat Nabataean Newa Newa Nkoo Nko Nshu Nushu Ogam Ogham Olck
      Ol_Chiki Onao Ol_Onal Orkh Old_Turkic Orya Oriya Osge Osage Osma Osmanya Ougr Old_Uyghur Palm Palmyrene Pauc Pau_Cin_Hau
      Perm Old_Permic Phag Phags_Pa Phli Inscriptional_Pahlavi Phlp Psalter_Pahlavi Phnx Phoenician Plrd Miao Prti
      Inscriptional_Parthian Rjng Rejang Rohg Hanifi_Rohingya Runr Runic Samr Samaritan Sarb Old_South_Arabian Saur Saurashtra
      Sgnw SignWriting Shaw Shavian Shrd Sharada Sidd Siddham Sidt Sidetic Sind Khudawadi Sinh Sinhala Sogd Sogdian Sogo
      Old_Sogdian Sora Sora_Sompeng Soyo Soyombo Sund Sundanese Sunu Sunuwar Sylo Syloti_Nagri Syrc Syriac Tagb Tagbanwa Takr
      Takri Tale Tai_Le Talu New_Tai_Lue Taml Tamil Tang Tangut Tavt Tai_Viet Tayo Tai_Yo Telu Telugu Tfng Tifinagh Tglg
      Tagalog Thaa Thaana Thai Thai Tibt Tibetan Tirh Tirhuta Tnsa Tangsa Todr Todhri Tols Tolong_Siki Toto Toto Tutg
      Tulu_Tigalari Ugar Ugaritic Vaii Vai Vith Vithkuqi Wara Warang_Citi Wcho Wancho Xpeo Old_Persian Xsux Cuneiform Yezi
      Yezidi Yiii Yi Zanb Zanabazar_Square Zinh Inherited Zyyy Common Zzzz Unknown
      """))

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
