import Records
import Reducing
import StoreRuntime

/// The records of a dispatch with a key, taken in one by one: what its row must say.
struct KeyedRun {
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    private var time: Int64 = 0
    private var uid: UInt32 = 0
    private var key: String?
    private var ids: [UInt64] = []

    /// Takes in the next record.
    mutating func take<App: Feature>(_ record: LoggedRecord<App>) {
        let header = record.header
        let isSame = header.key.map { uid == header.origin && key?.hasSameBytes(as: $0) == true } ?? false
        if !isSame { (uid, key, first, ids) = (header.origin, header.key, header.sequence, []) }
        (last, time) = (header.sequence, header.time)
        if key != nil, let action = record.action { ids += App.created(by: action) }
    }

    /// Whether a row tells of these records; a dispatch that began before `start` has some that were not taken in.
    func agrees(with row: KeyRow, since start: UInt64) -> Bool {
        guard key != nil, row.last == last, row.time == time else { return false }
        // Of one that began before, the ids of what was taken in are its last.
        return row.first < start ? first == start && row.ids.suffix(ids.count) == ids[...] : row.first == first && row.ids == ids
    }
}
