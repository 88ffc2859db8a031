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

    private enum Failure: LMDBFailure {
        case database(LMDBError)
        case stopped(ActionLogError)

        init(_ error: LMDBError) { self = .database(error) }
    }

    /// Runs the writes, and then the closure, in one transaction, which is committed unless one of them throws.
    func write(
        byteCount: Int, once isSettled: () throws(ActionLogError) -> Void = { () throws(ActionLogError) in },
        _ body: (borrowing WriteTransaction) throws(LMDBError) -> Void
    ) throws(ActionLogError) {
        do throws(Failure) {
            try environment.write { (transaction) throws(Failure) in
                do throws(LMDBError) { try body(transaction) } catch { throw .database(error) }
                do throws(ActionLogError) { try isSettled() } catch { throw .stopped(error) }
            }
        } catch {
            switch error {
            case .stopped(let error): throw error
            case .database(let error): throw failed(error, byteCount: byteCount)
            }
        }
    }

    func checkWritable() throws(ActionLogError) {
        guard lock != nil else { throw .notPermitted(what: "the log is open read-only") }
        if let failure = position.withLock({ $0.failure }) { throw failure }
    }

    func append(
        _ flush: Flush, identity: LogIdentity?, epoch: UInt64?, once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        try checkWritable()
        let head = head
        if let contradiction = flush.contradiction(to: head) { throw contradiction }
        var next = flush.head(after: head)
        if let epoch { next.epoch = epoch }
        let committed = next
        let identity = try flush.beginning == nil ? identity : basedIdentity()
        let byteCount = flush.byteCount + (flush.beginning?.state.count ?? 0)
        try write(byteCount: byteCount, once: isSettled) { (transaction) throws(LMDBError) in
            try put(flush, transaction)
            try transaction.put(committed, key: RowKey.head, in: tables.meta)
            if let identity { try transaction.put(identity, key: RowKey.identity, in: tables.meta) }
            if let base = flush.beginning { try transaction.put(base, key: RowKey.base, in: tables.meta) }
            if let place = flush.place { try transaction.put(place, key: RowKey.replica, in: tables.meta) }
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
        var identity = try database.identity()
        identity.format = LogIdentity.compactedFormat
        return identity
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

    public func redact(
        _ payloads: [(sequence: UInt64, payload: [UInt8])], at place: ReplicaPlace?,
        once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        try checkWritable()
        var redactions = redactions
        var values: [(sequence: UInt64, value: [UInt8])] = []
        for (sequence, payload) in payloads {
            redactions.append(sequence)
            values.append((sequence, RecordTrailer.redacting(try sealed(sequence), payload: payload)))
        }
        let key = RowKey.redactions
        let row = Row.sealed(redactions, key: key)
        let byteCount = values.reduce(row.count) { $0 + $1.value.count }
        func check() throws(ActionLogError) {
            if place != nil { try checkRoom(byteCount: byteCount, rowCount: values.count) }
            try isSettled()
        }
        try write(byteCount: byteCount, once: check) { (transaction) throws(LMDBError) in
            for (sequence, value) in values { try transaction.put(sequence, value.span.bytes, in: tables.records) }
            try transaction.put(key.span.bytes, row.span.bytes, in: tables.meta)
            if let place { try transaction.put(place, key: RowKey.replica, in: tables.meta) }
        }
        position.withLock { position in
            position.redactions = redactions
            if let place { position.place = place }
            for (sequence, _) in values { position.meanwhile?.redacted.append(sequence) }
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

extension LMDBActionLog {
    public var place: ReplicaPlace? { position.withLock { $0.place } }

    /// Detaches a copy of a shared log; it begins a new epoch at the next opening.
    ///
    /// - Returns: its position in the shared log.
    /// - Throws: `contradiction` if it is no such copy, `noLog` if there is no log; nothing is created.
    @discardableResult
    public static func detach(directory: String, mapBytes: Int? = nil) throws(ActionLogError) -> ReplicaPlace {
        try requireLog(in: directory)
        let log = try open(directory: directory, configuration: LogConfiguration(mapBytes: mapBytes))
        guard let place = log.place else {
            throw .contradiction(what: "the log in \(directory) is not a copy of a shared log: there is nothing to detach")
        }
        try log.become(nil, storeID: log.head.storeID, epoch: log.head.epoch)
        return place
    }

    public func become(_ place: ReplicaPlace?, storeID: String, epoch: UInt64) throws(ActionLogError) {
        try checkWritable()
        var head = head
        let isOther = head.storeID != storeID || head.epoch != epoch
        guard !isOther || head.sequence == 0 else {
            throw .contradiction(what: "the log is not empty, and differs from the shared log")
        }
        (head.storeID, head.epoch) = (storeID, epoch)
        var identity = try database.identity()
        identity.storeID = storeID
        // Makes the next start treat it as a copied log, which begins a new epoch.
        if place == nil { identity.inode = 0 }
        try write(byteCount: 0) { [head, identity] (transaction) throws(LMDBError) in
            try transaction.put(head, key: RowKey.head, in: tables.meta)
            try transaction.put(identity, key: RowKey.identity, in: tables.meta)
            let key = RowKey.replica
            if let place {
                try transaction.put(place, key: key, in: tables.meta)
            } else {
                _ = try transaction.delete(key.span.bytes, in: tables.meta)
            }
        }
        position.withLock { [head] in ($0.head, $0.place) = (head, place) }
    }

    /// Adopts a copied file: it stays a copy of the shared log, but gets a new copy id.
    func settle(
        _ place: ReplicaPlace, _ identity: LogIdentity, _ configuration: LogConfiguration
    ) throws(ActionLogError) {
        var (place, identity) = (place, identity)
        place.copyID = 0
        identity.machineID = configuration.machineID
        identity.inode = environment.inode
        try write(byteCount: 0) { [place, identity] (transaction) throws(LMDBError) in
            try transaction.put(place, key: RowKey.replica, in: tables.meta)
            try transaction.put(identity, key: RowKey.identity, in: tables.meta)
        }
        position.withLock { [place] in $0.place = place }
    }
}
