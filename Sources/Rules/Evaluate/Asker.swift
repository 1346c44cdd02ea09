/// A requester of a shared state: an active state of the enclosing container, and its slot that fails with the value.
struct Asker: BitwiseCopyable, Hashable {
  var active: Int32
  var slot: UInt16
}
