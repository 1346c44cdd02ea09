package import Foundation

/// The folder into which this test was built, and with it everything else of the package.
package enum BuildFolder {
  package static let url: URL = {
    // On Linux the test bundle is an executable of the build folder, on macOS a bundle within it.
    var folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(fileURLWithPath: ".")
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
      folder = bundle.bundleURL.deletingLastPathComponent()
    }
    return folder
  }()

  /// Where a product lies.
  package static func path(of name: String) -> String { url.appending(path: name).path }
}
