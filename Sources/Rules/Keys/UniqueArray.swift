#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An array that has one owner: no reference counts, no copies, and its elements may be the same.
///
/// Reference counts would cost more than their instructions. Each is a fence behind which the processor does not look for the next access to
/// memory, and a table that is larger than the caches lives on many accesses being under way at once.
///
/// Indices are the owner's own, never the document's; debug builds check them.
struct UniqueArray<Element: ~Copyable>: ~Copyable {
  private var buffer: UnsafeMutableBufferPointer<Element>
  private(set) var count = 0

  init() { buffer = UnsafeMutableBufferPointer(start: nil, count: 0) }

  init(capacity: Int) {
    self.init()
    reserve(capacity)
  }

  deinit {
    buffer.extracting(..<count).deinitialize()
    free(buffer.baseAddress)
  }

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  subscript(index: Int) -> Element {
    _read {
      assert(index >= 0 && index < count, "index outside the array")
      yield buffer[index]
    }
    _modify {
      assert(index >= 0 && index < count, "index outside the array")
      yield &buffer[index]
    }
  }

  mutating func append(_ element: consuming Element) {
    if count == buffer.count { reserve(max(4, count * 2)) }
    buffer.initializeElement(at: count, to: element)
    count += 1
  }

  /// `realloc` can remap a large array instead of copying it.
  private mutating func reserve(_ capacity: Int) {
    let size = max(1, capacity * MemoryLayout<Element>.stride)
    guard let memory = realloc(buffer.baseAddress, size) else { fatalError("no memory for \(size) bytes") }
    buffer = UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: Element.self), count: capacity)
  }

  /// Asks for the memory of the element at `index`.
  @inline(__always)
  func fetch(_ index: Int, through fetches: inout MemoryFetches) {
    assert(index >= 0 && index < count, "index outside the array")
    guard let base = buffer.baseAddress else { return }
    fetches.append(UnsafeRawPointer(base + index))
  }

  mutating func removeLast() -> Element {
    precondition(count > 0, "nothing there to remove")
    count -= 1
    return buffer.moveElement(from: count)
  }
}

extension UniqueArray where Element: BitwiseCopyable {
  /// Appends `element` until there are `count`. Takes no more memory than they need.
  mutating func append(_ element: Element, until count: Int) {
    reserve(count)
    buffer.extracting(self.count...).initialize(repeating: element)
    self.count = count
  }
}
