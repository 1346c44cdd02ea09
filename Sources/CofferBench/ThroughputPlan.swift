/// The measurements and their order, determined before anything runs.
///
/// Each round runs all steps in sequence, once per number of workers, so that a temporary slowdown of the machine affects all of
/// them. The input of a step that no requested step produces is prepared first, and not measured.
package struct ThroughputPlan: Sendable, Equatable {
  package struct Options: Sendable {
    /// The number of runs per figure, at least 1.
    package var rounds = 1
    /// The numbers of worker threads.
    package var jobs: [Int]
    package var steps: Set<Step> = Set(Step.allCases)
    /// True if the rules describe a format, so that the document can be imported.
    package var hasFormat = true

    package init(jobs: [Int]) { self.jobs = jobs }
  }

  /// A requested step that isn't possible for this document.
  package struct LeftOut: Sendable, Equatable, Encodable {
    package let step: Step
    package let reason: String
  }

  /// One process and its purpose.
  enum Turn: Sendable, Hashable {
    case measure(Figure)
    /// Decompresses the document for `compress`.
    case makePlain
    /// Compresses the document for `decompress`.
    case makeCompressed
    /// Imports the document for the steps that need a database.
    case makeDatabase
    /// Writes that database's tables as CSV for the sqlite3 shell.
    case makeTables
  }

  /// The rows of the result, step by step.
  package let figures: [Figure]
  package let leftOut: [LeftOut]
  package let rounds: Int
  let turns: [Turn]

  /// - Parameter hasShell: True if the sqlite3 shell is installed.
  package init(for kind: DocumentKind, options: Options, hasShell: Bool) {
    rounds = options.rounds
    let wanted = Step.allCases.filter(options.steps.contains)
    leftOut = wanted.compactMap { step in
      Self.reason(toLeaveOut: step, of: kind, hasFormat: options.hasFormat, hasShell: hasShell).map {
        LeftOut(step: step, reason: $0)
      }
    }
    let left = leftOut.map(\.step)
    let steps = wanted.filter { !left.contains($0) }
    figures = steps.flatMap { step in step.isOfShell ? [Figure(step, jobs: 1)] : options.jobs.map { Figure(step, jobs: $0) } }
    turns = Self.turns(of: steps, kind, options)
  }

  private static func turns(of steps: [Step], _ kind: DocumentKind, _ options: Options) -> [Turn] {
    var turns: [Turn] = []
    if kind.isCompressed, steps.contains(.compress) { turns.append(.makePlain) }
    if kind == .json, steps.contains(.decompress) { turns.append(.makeCompressed) }
    let needsDatabase = !Set(steps).isDisjoint(with: [.merge, .export])
    if steps.contains(where: \.isOfShell) {
      turns += [.makeDatabase, .makeTables]
    } else if !steps.contains(.import), needsDatabase {
      turns.append(.makeDatabase)
    }
    for _ in 0..<options.rounds {
      for jobs in options.jobs {
        // The shell's steps run once per round, with the first number of threads.
        let inTurn = steps.filter { !$0.isOfShell || jobs == options.jobs.first }
        turns += inTurn.map { .measure(Figure($0, jobs: $0.isOfShell ? 1 : jobs)) }
      }
    }
    return turns
  }

  private static func reason(toLeaveOut step: Step, of kind: DocumentKind, hasFormat: Bool, hasShell: Bool) -> String? {
    if !hasFormat, step.isOfDatabase { return "the rules describe no format" }
    guard kind == .zip else { return step.isOfShell && !hasShell ? "sqlite3 is not installed" : nil }
    return switch step {
    case .parse: "an archive is always checked completely"
    case .convert: "an archive has no JSON layout"
    case .compress, .decompress: "an archive is already compressed"
    case .shellImport, .shellExport: "sqlite3 can't handle the files in an archive"
    case .validate, .import, .merge, .export: nil
    }
  }

  /// Returns a conservative estimate of the scratch space needed, in bytes.
  ///
  /// - Parameter survey: The survey of the document.
  package func space(for survey: DocumentSurvey) -> Int {
    var documents = 0.0
    if turns.contains(.makePlain) { documents += 1 }
    // Incompressible data grows a little.
    if turns.contains(.makeCompressed) { documents += 1.01 }
    let steps = Set(figures.map(\.step))
    if steps.contains(where: \.isOfDatabase) { documents += 1.5 }
    // The tables as CSV and in a database.
    if steps.contains(where: \.isOfShell) { documents += 2 }
    // A safety copy, and a journal of every page.
    if steps.contains(.merge) { documents += 3 }
    return Int((documents * Double(survey.bytes)).rounded(.up)) + (1 << 20)
  }
}
