/// What other records need to know of a car.
struct CarProfile: Sendable {
  let id: Int
  let isHybrid: Bool
  let currency: Currency
  let createdAt: Timestamp
  let initialMileage: Int
  let currentMileage: Int

  /// Cars come in 2022, in the order of their ids; expenses begin with 2023.
  private static let first = Timestamp(year: 2022, month: 1, day: 1)
  private static let daysToGetCars = 364

  /// - Complexity: O(1).
  init(at index: Int, of population: Population) {
    var random = population.random(.cars, at: index, for: .profile)
    id = population.id(.cars, at: index)
    isHybrid = population.isHybrid(carAt: index)
    currency = random.pick(Currency.all)
    let step = Self.daysToGetCars * Timestamp.secondsPerDay / population.counts.cars
    createdAt = Self.first + (index * step + random.below(max(1, step)))
    // At least 1000: a current mileage below it is still no negative number.
    initialMileage = random.within(1000...60_000)
    currentMileage = initialMileage + random.within(500...90_000)
  }

  /// The odometer at some time between the car's creation and the backup.
  func odometer(at time: Timestamp) -> Int {
    initialMileage + (currentMileage - initialMileage) * (time - createdAt) / (Timestamp.reference - createdAt)
  }
}
