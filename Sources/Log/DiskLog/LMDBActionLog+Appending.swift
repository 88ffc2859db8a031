public import ChronicleLog
internal import ChronicleValues
internal import Glibc
internal import LMDB
internal import Synchronization

extension LMDBActionLog {
    public func append(_ flush: Flush) throws(ActionLogError) {
        try append(flush, identity: nil, epoch: nil) { () throws(ActionLogError) in }
    }

    /// Commits a flush in one LMDB transaction, after checking the free space and calling `isSettled`.
    public func append(_ flush: Flush, once isSettled: () throws(ActionLogError) -> Void) throws(ActionLogError) {
        try append(flush, identity: nil, epoch: nil) { () throws(ActionLogError) in
            try checkRoom(byteCount: flush.byteCount, rowCount: flush.rowChanges.count)
            try isSettled()
        }
    }

    /// Refuses a flush that the disk may not hold, before other machines see it: LMDB writes only on commit.
    ///
    /// An upper bound: each row may take a page and its parent, records may fill pages by half, and each table needs the path to
    /// its end.
    func checkRoom(byteCount: Int, rowCount: Int) throws(ActionLogError) {
        let bytes = 2 * byteCount + (2 * rowCount + Self.touchedPages) * environment.usage.pageBytes
        guard (FileSystem.freeBytes(directory) ?? .max) < bytes else { return }
        throw .storageFull(.disk, message: Self.diskIsFull)
    }

    private static let touchedPages = 64
    private static let diskIsFull = "the disk is full, so the log can't grow: free some space"

    enum Failure: LMDBFailure {
        case database(LMDBError)
        case stopped(ActionLogError)

        init(_ error: LMDBError) { self = .database(error) }
    }

    func append(
        _ flush: Flush, identity: LogIdentity?, epoch: UInt64?, once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        guard lock != nil else { throw .notPermitted(what: "the log is open read-only") }
        let (head, failure) = position.withLock { ($0.head, $0.failure) }
        if let failure { throw failure }
        if let contradiction = flush.contradiction(to: head) { throw contradiction }
        var next = flush.head(after: head)
        if let epoch { next.epoch = epoch }
        let committed = next
        let identity = try flush.beginning == nil ? identity : basedIdentity()
        do throws(Failure) {
            try environment.write { (transaction) throws(Failure) in
                do throws(LMDBError) {
                    try put(flush, transaction)
                    try put(Row.sealed(committed, key: RowKey.head), RowKey.head, transaction)
                    if let identity { try put(Row.sealed(identity, key: RowKey.identity), RowKey.identity, transaction) }
                    if let base = flush.beginning { try put(Row.sealed(base, key: RowKey.base), RowKey.base, transaction) }
                    if let place = flush.place { try put(Row.sealed(place, key: RowKey.replica), RowKey.replica, transaction) }
                } catch {
                    throw .database(error)
                }
                do throws(ActionLogError) { try isSettled() } catch { throw .stopped(error) }
            }
        } catch {
            switch error {
            case .stopped(let error): throw error
            case .database(let error): throw failed(error, byteCount: flush.byteCount + (flush.beginning?.state.count ?? 0))
            }
        }
        // First, or a reader would look for records before the base.
        if let base = flush.beginning?.base { current.withLock { $0.base = base } }
        position.withLock { position in
            position.head = committed
            if let place = flush.place { position.place = place }
            let rows = flush.rows.bytes.span
            for change in flush.rowChanges where change.kind == .addKey {
                position.newestKeys.committed(rows.extracting(change.key))
                if let count = position.meanwhile?.keys.count, count <= Self.keysMeanwhileMax {
                    position.meanwhile?.keys.append([UInt8](flush.rows.bytes[change.key]))
                }
            }
            // A log that has not begun is not compacted, so no concurrent changes are tracked.
            if flush.beginning != nil { position.newestKeys.forget() }
        }
    }

    private func basedIdentity() throws(ActionLogError) -> LogIdentity {
        var identity = try Self.meta(environment, tables, RowKey.identity, as: LogIdentity.self, of: "the header row")
        identity.format = LogIdentity.compactedFormat
        return identity
    }

    func put(_ row: [UInt8], _ key: [UInt8], _ transaction: borrowing WriteTransaction) throws(LMDBError) {
        try transaction.put(key.span.bytes, row.span.bytes, in: tables.meta)
    }

    private func put(_ flush: Flush, _ transaction: borrowing WriteTransaction) throws(LMDBError) {
        let records = flush.records.bytes.span.bytes
        for index in 0..<flush.recordCount {
            let value = records.extracting(flush.recordRange(index))
            try transaction.append(flush.base + UInt64(index) + 1, value, in: tables.records)
        }
        try flush.beginningKeys.forEach { (key, row) throws(LMDBError) in
            try transaction.insert(key.span.bytes, row.span.bytes, in: tables.keys)
        }
        let rows = flush.rows.bytes.span.bytes
        for change in flush.rowChanges {
            let key = rows.extracting(change.key)
            let value = rows.extracting(change.value)
            switch change.kind {
            case .addKey: try transaction.insert(key, value, in: tables.keys)
            case .setBookmark: try transaction.put(key, value, in: tables.meta)
            case .removeBookmark: _ = try transaction.delete(key, in: tables.meta)
            case .addCommand: try transaction.insert(key, value, in: tables.outbox)
            case .changeCommand:
                guard try transaction.delete(key, in: tables.outbox) else { throw .keyExists }
                try transaction.insert(key, value, in: tables.outbox)
            case .closeCommand:
                guard try transaction.delete(key, in: tables.outbox) else { throw .keyExists }
            }
        }
    }

    // LMDB reports a short write on a full disk as an I/O error, so the free space decides. After a failed write of a meta page
    // the outcome is unknown.
    func failed(_ error: LMDBError, byteCount: Int) -> ActionLogError {
        switch error {
        case .mapFull:
            return .storageFull(.map, message: FreeSpace.mapMessage(mapBytes: environment.usage.mapBytes))
        case .keyExists:
            return .contradiction(what: "a row exists that should not, or a required row is missing")
        case .transactionFull, .badSize:
            return .contradiction(what: error.description)
        case .corruption:
            return .damaged(sequence: 0, what: error.description)
        case .diskFull where !environment.isInPanic:
            return .storageFull(.disk, message: Self.diskIsFull)
        case .io(EIO) where (FileSystem.freeBytes(directory) ?? .max) < byteCount + 1 << 20 && !environment.isInPanic:
            return .storageFull(.disk, message: Self.diskIsFull)
        default:
            let failure = ActionLogError.unknownOutcome(what: error.description)
            position.withLock { $0.failure = failure }
            return failure
        }
    }
}

extension ActionLogError {
    init(reading error: LMDBError, sequence: UInt64) {
        self =
            switch error {
            case .corruption, .badSize: .damaged(sequence: sequence, what: error.description)
            case .panic: .unknownOutcome(what: error.description)
            case .readersFull: .readersFull
            case .io(let code): .io(what: "reading the log", errno: code)
            case .mapTooSmall(let used, let map): .mapTooSmall(usedBytes: used, mapBytes: map)
            default: .io("reading the log: \(error)")
            }
    }
}
