import Coffer

/// The code in the overview.
enum OverviewSnippets {
  static func overview(now: Instant) throws -> Place? {
    // snippet: overview
    let validator = Validator(.detected(.builtIn), options: ValidationOptions(now: now))
    let report = try validator.validate(FileSource(path: "my-export.json"), named: "my-export.json")
    let place = report.findings.first?.place  // /expenses/1204/carId, line 18062, column 17, byte 4194311
    // end
    return place
  }
}
