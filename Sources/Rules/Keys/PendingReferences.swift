/// References to keys that have not been defined yet: they wait for the end of the document, for the collection they point into may come later.
///
/// Kept once a distinct key, with the number of references to it and the places of the first few, so that a million references to one car cost as much as a thousand.
package struct PendingReferences {
  /// All that wait for one key.
  struct Entry {
    var key: KeyValue
    /// The entry of the reference that this one refines, if that waits too: while that one dangles, this one says nothing.
    var base: Int
    var count: Int
    var firstSite: Int
    var lastSite: Int
    var siteCount: Int
  }

  private struct StoredSite {
    var site: FindingSubject
    var next: Int
  }

  private let sitesPerKey: Int
  private(set) var entries: [Entry] = []
  private var sites: [StoredSite] = []
  private var indices: [KeyValue: Int] = [:]

  /// - Parameter sitesPerKey: how many places are kept for each key; the number of findings that will be shown is enough.
  package init(sitesPerKey: Int) { self.sitesPerKey = sitesPerKey }

  /// Whether the place of another reference to `key` would be kept.
  func keepsSite(of key: KeyValue) -> Bool {
    (indices[key].map { entries[$0].siteCount } ?? 0) < sitesPerKey
  }

  /// Adds a reference and returns its key's entry.
  ///
  /// - Parameter site: its place, if ``keepsSite(of:)`` asks for it.
  mutating func add(_ key: KeyValue, base: Int, site: FindingSubject?) -> Int {
    let index: Int
    if let known = indices[key] {
      index = known
      entries[index].count += 1
    } else {
      index = entries.count
      indices[key] = index
      entries.append(Entry(key: key, base: base, count: 1, firstSite: -1, lastSite: -1, siteCount: 0))
    }
    if let site {
      let stored = sites.count
      sites.append(StoredSite(site: site, next: -1))
      if entries[index].lastSite >= 0 { sites[entries[index].lastSite].next = stored } else { entries[index].firstSite = stored }
      entries[index].lastSite = stored
      entries[index].siteCount += 1
    }
    return index
  }

  func forEachSite(of entry: Entry, _ body: (FindingSubject) -> Void) {
    var index = entry.firstSite
    while index >= 0 {
      body(sites[index].site)
      index = sites[index].next
    }
  }
}
