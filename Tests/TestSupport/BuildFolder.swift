package import Foundation

/// The build folder of this test and of the whole package.
package enum BuildFolder {
  package static let url: URL = {
    // On Linux the test bundle is an executable of the build folder, on macOS a bundle within it.
    var folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(fileURLWithPath: ".")
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
      folder = bundle.bundleURL.deletingLastPathComponent()
    }
    return folder
  }()

  /// Returns the path of a product.
  package static func path(of name: String) -> String { url.appending(path: name).path }
}
