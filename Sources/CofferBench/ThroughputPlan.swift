/// What is measured, and in which order; decided before anything runs, from what is known of the document.
///
/// Each round does the steps one after the other, once for each number of workers, so that what slows the machine down for a while falls on all of
/// them alike. What a step needs of one that isn't asked for is done before it, and not measured.
package struct ThroughputPlan: Sendable, Equatable {
  package struct Options: Sendable {
    /// How often each figure is measured, at least once.
    package var rounds = 1
    /// The numbers of threads.
    package var jobs: [Int]
    package var steps: Set<Step> = Set(Step.allCases)

    package init(jobs: [Int]) { self.jobs = jobs }
  }

  /// A step that is asked for, and makes no sense for this document.
  package struct LeftOut: Sendable, Equatable {
    package let step: Step
    package let reason: String
  }

  /// One process, and what it is for.
  enum Turn: Sendable, Equatable {
    case measure(Figure)
    /// The document is decompressed, for `compress`.
    case makePlain
    /// The document is compressed, for `decompress`.
    case makeCompressed
    /// The document is imported, for those that need a database.
    case makeDatabase
    /// That database's tables are written as CSV, for the sqlite3 shell.
    case makeTables
  }

  /// The rows of the result, step by step.
  package let figures: [Figure]
  package let leftOut: [LeftOut]
  package let rounds: Int
  let turns: [Turn]
  private let kind: DocumentKind

  /// - Parameter hasShell: whether the sqlite3 shell is installed.
  package init(for kind: DocumentKind, options: Options, hasShell: Bool) {
    self.kind = kind
    rounds = options.rounds
    let wanted = Step.allCases.filter(options.steps.contains)
    leftOut = wanted.compactMap { step in
      Self.reason(toLeaveOut: step, of: kind, hasShell).map { LeftOut(step: step, reason: $0) }
    }
    let left = leftOut.map(\.step)
    let steps = wanted.filter { !left.contains($0) }
    figures = steps.flatMap { step in step.isOfShell ? [Figure(step, jobs: 1)] : options.jobs.map { Figure(step, jobs: $0) } }
    turns = Self.turns(of: steps, kind, options)
  }

  private static func turns(of steps: [Step], _ kind: DocumentKind, _ options: Options) -> [Turn] {
    var turns: [Turn] = []
    if kind == .lz4, steps.contains(.compress) { turns.append(.makePlain) }
    if kind == .json, steps.contains(.decompress) { turns.append(.makeCompressed) }
    let needsDatabase = !Set(steps).isDisjoint(with: [.merge, .export])
    if steps.contains(where: \.isOfShell) {
      turns += [.makeDatabase, .makeTables]
    } else if !steps.contains(.import), needsDatabase {
      turns.append(.makeDatabase)
    }
    for _ in 0..<options.rounds {
      for jobs in options.jobs {
        // Once a round, among the first number of threads.
        let inTurn = steps.filter { !$0.isOfShell || jobs == options.jobs.first }
        turns += inTurn.map { .measure(Figure($0, jobs: $0.isOfShell ? 1 : jobs)) }
      }
    }
    return turns
  }

  private static func reason(toLeaveOut step: Step, of kind: DocumentKind, _ hasShell: Bool) -> String? {
    guard kind == .zip else { return step.isOfShell && !hasShell ? "sqlite3 is not installed" : nil }
    return switch step {
    case .parse: "an archive is checked as a whole"
    case .convert: "an archive has no layout"
    case .compress, .decompress: "an archive is compressed already"
    case .shellImport, .shellExport: "sqlite3 knows nothing of the files in an archive"
    case .validate, .import, .merge, .export: nil
    }
  }

  /// How many bytes the scratch folder has to have room for: an estimate on the safe side.
  ///
  /// - Parameter survey: of the document.
  package func space(for survey: DocumentSurvey) -> Int {
    var documents = 0.0
    if turns.contains(.makePlain) { documents += 1 }
    // What doesn't compress at all takes a little more than it had.
    if turns.contains(.makeCompressed) { documents += 1.01 }
    let steps = Set(figures.map(\.step))
    if !steps.isDisjoint(with: [.import, .merge, .shellImport, .export, .shellExport]) { documents += 1.5 }
    // The tables as CSV, and in a database.
    if steps.contains(where: \.isOfShell) { documents += 2 }
    // A safety copy, and a journal of every page.
    if steps.contains(.merge) { documents += 3 }
    return Int((documents * Double(survey.bytes)).rounded(.up)) + (1 << 20)
  }
}
