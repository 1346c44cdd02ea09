/// A currency as the app names it, with what a dollar's worth comes to, roughly.
struct Currency: Sendable {
  let symbol: StaticString
  let scale: Int

  static let all: [Currency] = [
    Currency(symbol: "$", scale: 1),
    Currency(symbol: "₸", scale: 480),
    Currency(symbol: "€", scale: 1),
    Currency(symbol: "Br", scale: 3),
    Currency(symbol: "₴", scale: 41),
    Currency(symbol: "₽", scale: 85),
    Currency(symbol: "₺", scale: 38),
    Currency(symbol: "Dh", scale: 4),
    Currency(symbol: "SR", scale: 4),
    Currency(symbol: "£", scale: 1),
    Currency(symbol: "¥", scale: 150),
    Currency(symbol: "₹", scale: 85),
    Currency(symbol: "CN¥", scale: 7),
  ]
}
