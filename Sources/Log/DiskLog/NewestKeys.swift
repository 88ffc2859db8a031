/// The largest key of each uid, for at most `uidsMax` uids: clients' keys begin with the time, so a new one is larger and needs
/// no look-up.
struct NewestKeys {
    static let uidsMax = 64

    private var keys: [UInt32: [UInt8]] = [:]
    /// Number of commits; a table read before the last one is out of date.
    private(set) var commits: UInt64 = 0

    /// Whether a key is known to be new; `false` says nothing.
    func isNew(_ key: String, of uid: UInt32) -> Bool {
        guard let newest = keys[uid] else { return false }
        return newest.span.precedes(key.utf8Span.span)
    }

    func knows(_ uid: UInt32) -> Bool { keys[uid] != nil }

    /// Records the largest key of a uid, read after `commits` commits; empty if it has none.
    mutating func learn(_ key: [UInt8], of uid: UInt32, after commits: UInt64) {
        guard commits == self.commits else { return }
        if keys.count >= Self.uidsMax { keys = [:] }
        keys[uid] = key
    }

    mutating func forget() {
        keys = [:]
        commits += 1
    }

    mutating func committed(_ row: Span<UInt8>) {
        guard row.count > 4 else { return }
        commits += 1
        let uid = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(row[$1]) }
        let key = row.extracting(4..<row.count)
        guard let newest = keys[uid], newest.span.precedes(key) else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(key.count)
        for index in key.indices { bytes.append(key[index]) }
        keys[uid] = bytes
    }
}

extension Span<UInt8> {
    fileprivate func precedes(_ other: Span<UInt8>) -> Bool {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] { return self[index] < other[index] }
        return count < other.count
    }
}
