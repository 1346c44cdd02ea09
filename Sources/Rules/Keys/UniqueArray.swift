import Platform

/// An array with one owner: no reference counts, no copies; the elements can be noncopyable, too.
///
/// Reference counts would cost more than their instructions. Each is a fence that keeps the processor from looking ahead for the
/// next memory access, and a table larger than the caches depends on many accesses in parallel.
///
/// Indices come from the owner, never from the document; debug builds check them.
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
    guard let memory = realloc(buffer.baseAddress, size) else { fatalError("out of memory: \(size) bytes") }
    buffer = UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: Element.self), count: capacity)
  }

  /// Queues the memory of the element at `index`.
  @inline(__always)
  func fetch(_ index: Int, through fetches: inout MemoryFetches) {
    assert(index >= 0 && index < count, "index outside the array")
    guard let base = buffer.baseAddress else { return }
    fetches.append(UnsafeRawPointer(base + index))
  }

  mutating func removeLast() -> Element {
    precondition(count > 0, "the array is empty")
    count -= 1
    return buffer.moveElement(from: count)
  }
}

extension UniqueArray where Element: BitwiseCopyable {
  /// Appends `element` until there are `count` elements. Allocates no more memory than they need.
  mutating func append(_ element: Element, until count: Int) {
    reserve(count)
    buffer.extracting(self.count...).initialize(repeating: element)
    self.count = count
  }
}
