/// The charger types as the app displays and stores them.
enum ChargerType {
  static let other: StaticString = "Other"

  /// Homes first: they are drawn most.
  static let all: [StaticString] = [
    "Home (7kW)", "Home (11kW)", "Home (3kW)", "Destination (22kW)", "Public Fast (50kW)", "Public Rapid (100kW)",
    "Supercharger V2 (150kW)", "Supercharger V3 (250kW)", "Supercharger V4 (350kW)", "Other",
  ]

  /// Three of five charges happen at home.
  static func drawn(from random: inout RandomSource) -> StaticString {
    random.chance(60) ? all[random.below(3)] : random.pick(all)
  }
}
