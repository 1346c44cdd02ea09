import ArgumentParser
import CofferBench

/// The numbers of workers to measure: `1,2`.
struct JobsListArgument: ExpressibleByArgument {
  let jobs: [Int]

  init?(argument: String) {
    var jobs: [Int] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(part), (1...256).contains(number) else { return nil }
      if !jobs.contains(number) { jobs.append(number) }
    }
    self.jobs = jobs
  }
}

/// The steps to measure: `parse,import`.
struct StepsArgument: ExpressibleByArgument {
  let steps: Set<Step>

  init?(argument: String) {
    var steps: Set<Step> = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let step = Step(rawValue: String(part)) else { return nil }
      steps.insert(step)
    }
    self.steps = steps
  }

  static let allValueStrings = Step.allCases.map(\.rawValue)
}
