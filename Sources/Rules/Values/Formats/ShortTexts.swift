import CByteScan
import JSONEvents

/// A UUID as text: 8-4-4-4-12 hexadecimal digits (RFC 9562, section 4).
struct UUIDText {
  /// The sixteen bytes of the UUID, the first one in the highest byte.
  let high: UInt64
  let low: UInt64
  private let letters: CInt

  init?(_ text: ByteView) {
    guard text.count == 36 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    let letters = text.withUnsafeBytes { coffer_read_uuid($0.baseAddress, &high, &low) }
    if letters < 0 { return nil }
    (self.high, self.low, self.letters) = (high, low, letters)
  }

  var hasCapitals: Bool { letters & CInt(COFFER_UUID_CAPITALS) != 0 }
  var hasSmallLetters: Bool { letters & CInt(COFFER_UUID_SMALL_LETTERS) != 0 }
}

/// The ISO 4217 alphabetic codes (list one of 2026-01-01), including funds and metals, without withdrawn codes.
enum CurrencyCodes {
  private static let all: Set<UInt32> = {
    let text = """
      AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY \
      COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD \
      IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN \
      MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD \
      SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA \
      XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG
      """
    return Set(text.split(separator: " ").map { $0.utf8.reduce(0) { $0 << 8 | UInt32($1) } })
  }()

  static func contains(_ text: ByteView) -> Bool {
    text.count == 3 && all.contains(UInt32(text[0]) << 16 | UInt32(text[1]) << 8 | UInt32(text[2]))
  }
}
