public import ChronicleLog
internal import LMDB
internal import Synchronization

extension LMDBActionLog {
    /// How far it is as a copy of a log that several machines share.
    public var place: ReplicaPlace? { position.withLock { $0.place } }

    /// Makes a copy of a shared log in a directory a log of its own, which begins a new epoch when it is opened next.
    ///
    /// - Returns: what it was.
    /// - Throws: `contradiction` when it is no copy, `noLog` when there is none; then none is made.
    @discardableResult
    public static func detach(directory: String, mapBytes: Int? = nil) throws(ActionLogError) -> ReplicaPlace {
        try requireLog(in: directory)
        let log = try open(directory: directory, configuration: LogConfiguration(mapBytes: mapBytes))
        guard let place = log.place else {
            throw .contradiction(what: "the log in \(directory) is this machine's own: there is nothing to detach")
        }
        try log.become(nil, storeID: log.head.storeID, epoch: log.head.epoch)
        return place
    }

    /// Becomes an empty copy of another log, or a log of its own again.
    public func become(_ place: ReplicaPlace?, storeID: String, epoch: UInt64) throws(ActionLogError) {
        guard lock != nil else { throw .notPermitted(what: "the log is open for reading alone") }
        var head = head
        let isOther = head.storeID != storeID || head.epoch != epoch
        guard !isOther || head.sequence == 0 else {
            throw .contradiction(what: "the log is not empty, and another one than the shared log")
        }
        (head.storeID, head.epoch) = (storeID, epoch)
        var identity = try Self.meta(environment, tables, RowKey.identity, as: LogIdentity.self, of: "the header row")
        identity.storeID = storeID
        // From then on it is another log than the shared one: the next start takes it for a copy of that.
        if place == nil { identity.inode = 0 }
        let rows: [(key: [UInt8], row: [UInt8])] = [
            (RowKey.head, Row.sealed(head, key: RowKey.head)), (RowKey.identity, Row.sealed(identity, key: RowKey.identity)),
        ]
        do throws(LMDBError) {
            try environment.write { (transaction) throws(LMDBError) in
                for (key, row) in rows { try transaction.put(key.span.bytes, row.span.bytes, in: tables.meta) }
                let key = RowKey.replica
                if let place {
                    try transaction.put(key.span.bytes, Row.sealed(place, key: key).span.bytes, in: tables.meta)
                } else {
                    _ = try transaction.delete(key.span.bytes, in: tables.meta)
                }
            }
        } catch {
            throw failed(error, byteCount: 0)
        }
        position.withLock { ($0.head, $0.place) = (head, place) }
    }

    /// Takes a copied file for what it was: a copy of the shared log is one wherever it lies, but not the one that it was copied from.
    func settle(
        _ place: ReplicaPlace, _ identity: LogIdentity, _ configuration: LogConfiguration
    ) throws(ActionLogError) {
        var (place, identity) = (place, identity)
        place.copyID = 0
        identity.machineID = configuration.machineID
        identity.inode = environment.inode
        let rows: [(key: [UInt8], row: [UInt8])] = [
            (RowKey.replica, Row.sealed(place, key: RowKey.replica)),
            (RowKey.identity, Row.sealed(identity, key: RowKey.identity)),
        ]
        do throws(LMDBError) {
            try environment.write { (transaction) throws(LMDBError) in
                for (key, row) in rows { try transaction.put(key.span.bytes, row.span.bytes, in: tables.meta) }
            }
        } catch {
            throw failed(error, byteCount: 0)
        }
        position.withLock { [place] in $0.place = place }
    }
}
