import ByteStreams
import SystemPackage
import Testing

@Suite struct CofferErrorTests {
  @Test(arguments: [
    (Errno.noSuchFileOrDirectory, CofferError.Code.notFound), (.notDirectory, .notFound),
    (.permissionDenied, .permissionDenied),
    (.notPermitted, .permissionDenied), (.readOnlyFileSystem, .permissionDenied), (.isDirectory, .isDirectory),
    (.fileExists, .alreadyExists), (.noSpace, .noSpace), (.fileTooLarge, .noSpace), (.brokenPipe, .brokenPipe),
    (.ioError, .inputOutput),
  ])
  func `an error number of the system decides the code`(errno: Errno, code: CofferError.Code) {
    let error = CofferError(errno, verb: "write", name: "a.json")
    #expect(error.code == code)
    #expect(error.underlying as? Errno == errno)
    #expect(error.description.hasPrefix("cannot write a.json: "))
  }

  @Test func `catch and switch read codes`() {
    func caught(_ error: any Error) -> String {
      do { throw error } catch CofferError.Code.noSpace { return "full" } catch { return "other" }
    }
    #expect(caught(CofferError(.noSpace, "full")) == "full")
    #expect(caught(CofferError(.notFound, "gone")) == "other")
    #expect(caught(Errno.noSpace) == "other")
    switch CofferError(.locked, "busy") {
    case CofferError.Code.noSpace, CofferError.Code.notFound: Issue.record("another code")
    case CofferError.Code.locked: break
    default: Issue.record("no code")
    }
  }

  @Test func `the description has the place after the message`() {
    let position = TextPosition(offset: 41, line: 3, column: 9)
    let code = CofferError.Code(rawValue: "test")
    #expect("\(CofferError(code, "wrong"))" == "wrong")
    #expect("\(CofferError(code, "wrong", at: .init(position: position)))" == "wrong (line 3, column 9, byte 41)")
    #expect(
      "\(CofferError(code, "wrong", at: .init(document: "a.json", pointer: "", position: position)))"
        == "wrong (a.json, the root, line 3, column 9)")
    #expect("\(CofferError(code, "wrong", at: .init(entry: "a\u{1B}b")))" == "a\\u{1B}b: wrong")
  }

  @Test func `an error names the document only if it is about its content`() {
    let code = CofferError.Code(rawValue: "test")
    #expect(CofferError(code, "cannot open a.json").inDocument("a.json").place.document == nil)
    let inner = CofferError(code, "not LZ4", at: .init(inputOffset: 0)).inDocument("a.lz4")
    #expect(inner.place.document == "a.lz4")
    #expect(inner.inDocument("b.lz4").place.document == "a.lz4")
  }

  @Test func `the underlying error does not decide equality`() {
    let error = CofferError(.noSpace, "full", underlying: Errno.noSpace)
    #expect(error == CofferError(.noSpace, "full"))
    #expect(error.hashValue == CofferError(.noSpace, "full").hashValue)
    #expect(error != CofferError(.noSpace, "full", at: .init(entry: "a")))
  }

  @Test func `a redacted error has nothing of the document`() {
    let error = CofferError(.noSpace, "found 'secret'", redacted: "found a word", at: .init(entry: "a"))
    #expect(error.redacted == CofferError(.noSpace, "found a word", at: .init(entry: "a")))
    #expect(CofferError(.noSpace, "full").redacted.message == "full")
  }
}
