/// The names of snapshot files: the sequence in as many digits as the largest has, so that they sort by it.
enum SnapshotName {
    static let prefix = "snapshot-"
    private static let digits = 20

    static func of(_ sequence: UInt64) -> String {
        let number = String(sequence)
        return prefix + String(repeating: "0", count: digits - number.utf8.count) + number
    }

    /// The sequence in a name; `nil` when it is none.
    static func sequence(_ name: String) -> UInt64? {
        guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + digits else { return nil }
        return UInt64(name.dropFirst(prefix.utf8.count))
    }
}
