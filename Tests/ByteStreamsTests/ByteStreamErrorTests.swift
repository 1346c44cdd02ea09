import ByteStreams
import SystemPackage
import Testing

@Suite struct ByteStreamErrorTests {
  @Test(arguments: [
    (Errno.noSuchFileOrDirectory, ByteStreamError.Code.notFound), (.notDirectory, .notFound),
    (.permissionDenied, .permissionDenied),
    (.notPermitted, .permissionDenied), (.readOnlyFileSystem, .permissionDenied), (.isDirectory, .isDirectory),
    (.fileExists, .alreadyExists), (.noSpace, .noSpace), (.fileTooLarge, .noSpace), (.brokenPipe, .brokenPipe),
    (.ioError, .inputOutput),
  ])
  func `an error number of the system decides the code`(errno: Errno, code: ByteStreamError.Code) {
    let error = ByteStreamError(errno, verb: "write", name: "a.json")
    #expect(error.code == code)
    #expect(error.errno == errno)
    #expect(error.description.hasPrefix("cannot write a.json: "))
  }
}
