import Chronicle
import ChronicleLog
import ChronicleStore

/// Collects the records of a dispatch with a key, to check its row.
struct KeyedRun {
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    private var step: UInt64 = 0
    private var time: Int64 = 0
    private var uid: UInt32 = 0
    private var key: String?
    private var ids: [UInt64] = []
    private var hasRow = false

    /// The last record of a dispatch whose row is missing; `nil`: it has one, or the records have no key.
    var lastWithoutRow: UInt64? { key == nil || hasRow ? nil : last }

    mutating func take<App: Feature>(_ record: LoggedRecord<App>) {
        let header = record.header
        if !goesOn(with: header) {
            (uid, key, step, first, ids) = (header.origin, header.key, header.step, header.sequence, [])
            hasRow = false
        }
        (last, time) = (header.sequence, header.time)
        if key != nil, let action = record.action { ids += App.created(by: action) }
    }

    /// The step counts, too: a dispatch that the end of an import cut off may be repeated with the same key, as a new step.
    func goesOn(with header: RecordHeader) -> Bool {
        !hasRow && step == header.step && header.key.map { uid == header.origin && key?.hasSameBytes(as: $0) == true } ?? false
    }

    /// Whether a row matches these records, which lack those before `start` and may begin with other dispatches of the step.
    mutating func agrees(with row: KeyRow, since start: UInt64) -> Bool {
        guard key != nil, row.last == last, row.time == time else { return false }
        hasRow = true
        // For a dispatch that began earlier, the collected ids are its last ones.
        if row.first < start { return first == start && row.ids.suffix(ids.count) == ids[...] }
        return row.first == first ? row.ids == ids : row.first > first && ids.suffix(row.ids.count) == row.ids[...]
    }
}

/// The keys that an export has named so far, as hashes: there may be many, and a random seed prevents constructed collisions.
struct NamedKeys {
    private var hashes: Set<Int> = []

    var count: Int { hashes.count }

    mutating func insert(_ place: KeyPlace) -> Bool {
        var hasher = Hasher()
        hasher.combine(place.uid)
        hasher.combine(ExactText(place.key))
        return hashes.insert(hasher.finalize()).inserted
    }
}
