import ByteStreams
import Findings
import Foundation
import JSONEvents
import Rules

extension SplitPlan.File {
  /// The envelope up to its first gap.
  func envelope() -> EnvelopeSource { EnvelopeSource(piece(0)) }

  /// The envelope after a gap, as far as the plan has it.
  func continuation(after gap: Int) -> EnvelopeSource.Continuation {
    guard pieces.indices.contains(gap + 1) else { return .end }
    return .envelope(piece(gap + 1), from: gaps[gap].end.position, skipped: .all)
  }

  /// The rest of the file, from a place in a collection on. It is read sequentially, as after a malformed record.
  func rest(
    from mark: SplitPlan.Mark, in gap: Int, _ bytes: StoredBytes, _ options: ValidationOptions
  ) -> EnvelopeSource.Continuation {
    let source = StoredSource(bytes, mark.offset..<bytes.byteCount)
    if syntax == JSONSyntax.jsonLines.planName {
      return .lines(
        LineSlicer(
          source, options: options.slices ?? Slicer.Options(), limits: options.limits, from: mark.position, firstIndex: mark.index
        ))
    }
    let isClosed = gaps[gap].isClosed && mark.offset == gaps[gap].end.offset
    let isStart = mark.offset == gaps[gap].start.offset
    return .envelope(EnvelopeSource.Piece(source), from: mark.position, skipped: isStart ? nil : isClosed ? .all : .first)
  }

  /// Looks findings up by reading near them: the envelope is in the plan.
  ///
  /// - Returns: `nil` if the whole document must be read.
  func matches(
    of findings: [Finding], by consumer: LookupConsumer, in bytes: StoredBytes, _ options: PassOptions,
    _ validationOptions: ValidationOptions
  ) throws -> [ValueLookup.Match]? {
    let places = Dictionary(findings.map { ($0.place.offset, $0.place) }) { first, _ in first }
    var pass = DocumentPass(envelope(), for: consumer, options: options)
    var number = 0
    var isComplete = true
    do {
      try pass.run { consumer in
        let gap = gaps[number]
        let finder = RecordFinder(bytes, in: gap, options.syntax, options.limits)
        while let offset = consumer.pendingOffsets.first, offset < gap.end.offset {
          guard let place = places[offset], let record = try finder.record(around: place),
            try consumer.take(record, depth: gap.depth)
          else {
            isComplete = false
            return .end
          }
        }
        number += 1
        if pieces.indices.contains(number) { return continuation(after: number - 1) }
        // The rest has a fault.
        if consumer.pendingOffsets.isEmpty, !consumer.awaitsEnds { return .end }
        return rest(from: gap.end, in: number - 1, bytes, validationOptions)
      }
    } catch is LookupConsumer.Complete {
    } catch let error as CofferError where error.place.position != nil {
      // The validation has reported the error.
    }
    return isComplete ? pass.consumer.matches : nil
  }

  private func piece(_ index: Int) -> EnvelopeSource.Piece {
    EnvelopeSource.Piece(
      MemorySource(pieces[index].bytes), byteCount: gaps.indices.contains(index) ? pieces[index].bytes.count : nil)
  }

  /// The end of the bytes that a part needs: the last part of a collection includes its closing bracket.
  func end(of part: SplitPlan.Part) -> Int {
    guard let number = part.gap, gaps[number].isClosed, syntax == JSONSyntax.json.planName,
      part.end.offset == gaps[number].end.offset
    else { return part.end.offset }
    return min(part.end.offset + 1, bytes)
  }

  /// Opens the file, and checks its size.
  ///
  /// - Throws: `planMismatch` if it is another file; errors of the system.
  func opened(_ open: (String) throws(CofferError) -> StoredBytes) throws(CofferError) -> StoredBytes {
    let stored = try open(name)
    guard stored.byteCount == bytes else { throw changed }
    return stored
  }

  var changed: CofferError { CofferError(.planMismatch, "\(name) differs from the file that was planned, in size or content") }
}

extension Validator {
  /// Returns the rules for a document that is read for the first time, and what is known of it.
  func identify(
    _ document: some ByteSource, named name: String, _ syntax: JSONSyntax
  ) throws -> (program: RuleProgram, result: ContainedDocument) {
    var result = ContainedDocument(report: ValidationReport(file: name))
    result.syntax = syntax
    let identified = try IdentifiedDocument(document, rules: rules, named: name, syntax: syntax)
    return (try program(for: identified.identity, &result), result)
  }

  /// Returns a pass over the envelope of a document of a plan.
  ///
  /// - Parameter prepare: gets the consumer before anything is consumed.
  func pass(
    over file: SplitPlan.File, _ result: inout ContainedDocument, prepare: (inout ValidationConsumer) throws -> Void = { _ in }
  ) throws -> DocumentPass<ValidationConsumer> {
    result.syntax = JSONSyntax(planName: file.syntax) ?? .json
    let program = try program(forDescribed: &result)
    var passOptions = options.pass
    passOptions.syntax = result.syntax
    passOptions.execution.progress = nil
    var consumer = ValidationConsumer(program, options, of: result.format, in: .json)
    try prepare(&consumer)
    passOptions.keys = consumer.keys
    return DocumentPass(file.envelope(), for: consumer, options: passOptions)
  }
}
