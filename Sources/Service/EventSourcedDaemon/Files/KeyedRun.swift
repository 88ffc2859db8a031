import Records
import Reducing
import StoreRuntime

/// The records of a dispatch with a key, taken in one by one: what its row must say.
struct KeyedRun {
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    private var step: UInt64 = 0
    private var time: Int64 = 0
    private var uid: UInt32 = 0
    private var key: String?
    private var ids: [UInt64] = []
    private var hasRow = false

    /// The last record of a dispatch whose row did not come with it; `nil`: it came, or the records have no key.
    var lastWithoutRow: UInt64? { key == nil || hasRow ? nil : last }

    /// Takes in the next record.
    mutating func take<App: Feature>(_ record: LoggedRecord<App>) {
        let header = record.header
        if !goesOn(with: header) {
            (uid, key, step, first, ids) = (header.origin, header.key, header.step, header.sequence, [])
            hasRow = false
        }
        (last, time) = (header.sequence, header.time)
        if key != nil, let action = record.action { ids += App.created(by: action) }
    }

    /// Whether a record belongs to the same dispatch.
    ///
    /// One that was cut off where an import ended may be done again right behind that under the same key, as a step of its own.
    func goesOn(with header: RecordHeader) -> Bool {
        !hasRow && step == header.step && header.key.map { uid == header.origin && key?.hasSameBytes(as: $0) == true } ?? false
    }

    /// Whether a row tells of these records; a dispatch that began before `start` has some that were not taken in, and one that goes on with
    /// a step may have others of that step before it.
    mutating func agrees(with row: KeyRow, since start: UInt64) -> Bool {
        guard key != nil, row.last == last, row.time == time else { return false }
        hasRow = true
        // Of one that began before, the ids of what was taken in are its last.
        if row.first < start { return first == start && row.ids.suffix(ids.count) == ids[...] }
        return row.first == first ? row.ids == ids : row.first > first && ids.suffix(row.ids.count) == row.ids[...]
    }
}
