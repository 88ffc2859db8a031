import ChronicleLog
import ChronicleStore
import ChronicleValues
import TimeTravel
import TodoAPI

struct Exporting<App: DaemonApp>: Sendable {
    static var pieceBytesMax: Int { 256 << 10 }

    let version: String
    let store: Store<App>
    let log: any ActionLog
    let history: History<App>

    /// Delivers the lines of all records of a range, in pieces of about `pieceBytesMax`.
    /// - Parameters:
    ///   - first: at most one more than `last`; then there are no records.
    ///   - open: the open commands that were requested before the end; written if the end is still the log's.
    ///   - base: the base of the log, if an empty log is to begin with it; it comes right before the first record.
    func run(
        from first: UInt64, through last: UInt64, open: [OutboxRow], base: ExportedBase? = nil, past: PastState<App>? = nil,
        _ deliver: (String) async throws -> Void
    ) async throws {
        var piece = try await header(from: first, through: last, base, past).line + "\n".utf8
        if let base {
            try await deliver(String(decoding: piece, as: UTF8.self))
            try await base.writeLines(deliver)
            try await writeKeys(of: base.base, deliver)
            piece = []
        }
        var next = first
        while next <= last {
            let page = try await records(from: next, through: last)
            guard let end = page.last?.header.sequence else { break }
            for record in page {
                piece += try ExportLine.record(record, try key(endingWith: record), of: App.self)
                piece.append(UInt8(ascii: "\n"))
                guard piece.count >= Self.pieceBytesMax else { continue }
                try await deliver(String(decoding: piece, as: UTF8.self))
                piece.removeAll(keepingCapacity: true)
            }
            next = end + 1
        }
        piece += ExportLine.end(last, outbox: log.head.sequence == last ? open : []) + "\n".utf8
        try await deliver(String(decoding: piece, as: UTF8.self))
    }

    // A separate function, so that the state is freed before the records are read.
    private func header(from first: UInt64, through last: UInt64, _ base: ExportedBase?, _ known: PastState<App>?) async throws
        -> ExportHeader
    {
        let past: PastState<App>
        if let known { past = known } else { past = try await history.state(at: .sequence(last)) }
        let head = log.head
        return ExportHeader(
            version: version, storeID: head.storeID, epoch: head.epoch, first: first, last: last,
            before: try log.checksum(of: first - 1) ?? 0, checksum: try log.checksum(of: last) ?? 0,
            digest: past.state.digestAndByteCount.digest, time: last > 0 ? past.time : nil, baseBytes: base?.byteCount)
    }

    private func writeKeys(of base: Base, _ deliver: (String) async throws -> Void) async throws {
        var place: KeyPlace?
        var idCount: UInt64 = 0
        repeat {
            let (lines, ids, last) = try await keyLines(of: base, after: place)
            idCount += ids
            guard idCount <= ImportLimits.baseKeyIDsMax else {
                throw APIError.baseTooLarge(
                    "ids under keys", max: ImportLimits.baseKeyIDsMax, record: base.sequence, areForgettable: true)
            }
            if !lines.isEmpty { try await deliver(lines) }
            place = last
        } while place != nil
        // A later compaction may have removed some of them.
        guard log.base == base else { throw StoreError.compacted }
    }

    private func keyLines(
        of base: Base, after place: KeyPlace?
    ) async throws(StoreError) -> (lines: String, ids: UInt64, last: KeyPlace?) {
        try await store.queries.perform { queries throws(StoreError) in
            try await queries.yieldIfNeeded()
            var (lines, ids, taken) = ("", UInt64(0), place)
            var isFull: Bool { lines.utf8.count >= Self.pieceBytesMax }
            let last = try StoreError.reading { () throws(ActionLogError) in
                try log.keys(after: place, rowsMax: HistoryLimits.keyRowsMax) { place, row in
                    // A few keys with many ids fill a piece.
                    guard !isFull else { return }
                    taken = place
                    guard 1...base.sequence ~= row.last else { return }
                    ids += UInt64(row.ids.count)
                    lines += ExportedBase.line(of: DerivedRows.KeyRun(place, row))
                }
            }
            return (lines, ids, isFull ? taken : last)
        }
    }

    private func records(from first: UInt64, through last: UInt64) async throws(StoreError) -> [SealedRecord] {
        try await store.queries.perform { queries throws(StoreError) in
            try await queries.yieldIfNeeded()
            var records: [SealedRecord] = []
            try StoreError.reading { () throws(ActionLogError) in
                _ = try log.sealed(from: first, through: last, recordsMax: Limits.pageRecordsMax, bytesMax: Limits.pageBytesMax) {
                    records.append($0)
                    return true
                }
            }
            return records
        }
    }

    // A key belongs to the last record of its dispatch.
    private func key(endingWith record: SealedRecord) throws(StoreError) -> KeyRow? {
        guard let key = record.header.key else { return nil }
        let row = try StoreError.reading { () throws(ActionLogError) in try log.key(key, of: record.header.origin) }
        return row?.last == record.header.sequence ? row : nil
    }
}
