public import Chronicle
public import ChronicleLog

/// The records of a dispatch with a key, collected to check or restore its row.
public struct KeyedRun: Sendable {
    /// The key with the row that these records require; `nil`: the last record has no key.
    public private(set) var run: DerivedRows.KeyRun?
    private var step: UInt64 = 0
    private var hasRow = false

    public init() {}

    /// The last record of a dispatch whose row is missing; `nil`: it has one, or the records have no key.
    public var lastWithoutRow: UInt64? { hasRow ? nil : run?.row.last }

    /// Adds the next record.
    public mutating func take<App: Feature>(_ record: LoggedRecord<App>, epoch: UInt64 = 0) {
        let header = record.header
        if !goesOn(with: header) {
            run = header.key.map { key in
                .init(
                    KeyPlace(uid: header.origin, key: key),
                    KeyRow(first: header.sequence, last: header.sequence, digest: 0, epoch: epoch))
            }
            (step, hasRow) = (header.step, false)
        }
        run?.row.last = header.sequence
        run?.row.time = header.time
        if let action = record.action { run?.row.ids += App.created(by: action) }
    }

    /// Whether a record belongs to the same dispatch.
    ///
    /// A dispatch that the end of an import cut off may be repeated with the same key, as a new step.
    public func goesOn(with header: RecordHeader) -> Bool {
        !hasRow && step == header.step && header.key.map { run?.place == KeyPlace(uid: header.origin, key: $0) } ?? false
    }

    /// Whether a row matches these records: a dispatch that began before `start` has earlier records, and one that continues a step may
    /// follow other records of it.
    public mutating func agrees(with row: KeyRow, since start: UInt64) -> Bool {
        guard let own = run?.row, row.last == own.last, row.time == own.time else { return false }
        hasRow = true
        // For a dispatch that began earlier, the collected ids are its last ones.
        if row.first < start { return own.first == start && row.ids.suffix(own.ids.count) == own.ids[...] }
        if row.first == own.first { return row.ids == own.ids }
        return row.first > own.first && own.ids.suffix(row.ids.count) == row.ids[...]
    }
}
