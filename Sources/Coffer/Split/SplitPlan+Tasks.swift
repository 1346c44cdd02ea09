extension SplitPlan {
  /// Distributes parts over tasks of about the same size.
  ///
  /// - Parameters:
  ///   - parts: in the order of the files, and of each document.
  ///   - count: the number of tasks. If there are fewer parts, the last tasks have none.
  package static func tasks(_ count: Int, of parts: [Part]) -> [Task] {
    precondition(count > 0, "there is no task")
    var tasks = Array(repeating: Task(parts: []), count: count)
    let total = parts.reduce(0) { $0 + max(1, $1.end.offset - $1.start.offset) }
    var before = 0
    for part in parts {
      let size = max(1, part.end.offset - part.start.offset)
      // The task of its middle, so that all tasks differ by about a part at most.
      let number = min(count - 1, Int((Double(before) + Double(size) / 2) / Double(total) * Double(count)))
      tasks[number].append(part)
      before += size
    }
    return tasks
  }
}

extension SplitPlan.Task {
  /// Appends a part, and joins it with the one before if both are of the same collection.
  fileprivate mutating func append(_ part: SplitPlan.Part) {
    if let last = parts.last, part.gap != nil, last.file == part.file, last.gap == part.gap {
      parts[parts.count - 1].end = part.end
    } else {
      parts.append(part)
    }
  }
}
