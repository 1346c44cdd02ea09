import JSONEvents
import Rules

extension StringFormat {
  func accepts(_ text: String) -> Bool { ByteView.with(text) { accepts($0) } }

  func instant(_ text: String) -> Instant? { ByteView.with(text) { instant($0) } }
}
