/// For each uid the last of its keys in the table, in the table's order.
///
/// Clients make keys that begin with the time, so a new one stands behind all others, and nobody has to look for it in
/// the table. Known for at most `uidsMax` uids at a time.
struct NewestKeys {
    static let uidsMax = 64

    private var keys: [UInt32: [UInt8]] = [:]
    /// Counts what was committed, so that who read the table before that learns nothing from it.
    private(set) var commits: UInt64 = 0

    /// Whether a key is known to be in no row; false says nothing.
    func isNew(_ key: String, of uid: UInt32) -> Bool {
        guard let newest = keys[uid] else { return false }
        return newest.span.precedes(key.utf8Span.span)
    }

    func knows(_ uid: UInt32) -> Bool { keys[uid] != nil }

    /// Takes note of the last key of a uid as it stood in the table after so many commits; empty if it has none.
    mutating func learn(_ key: [UInt8], of uid: UInt32, after commits: UInt64) {
        guard commits == self.commits else { return }
        if keys.count >= Self.uidsMax { keys = [:] }
        keys[uid] = key
    }

    /// Knows nothing any more.
    mutating func forget() {
        keys = [:]
        commits += 1
    }

    /// Takes note of a row that was committed, by its key in the table.
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
    /// Whether these bytes stand before others in the order of a table.
    fileprivate func precedes(_ other: Span<UInt8>) -> Bool {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] { return self[index] < other[index] }
        return count < other.count
    }
}
