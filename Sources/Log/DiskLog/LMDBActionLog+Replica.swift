public import ChronicleLog
internal import LMDB
internal import Synchronization

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
        guard lock != nil else { throw .notPermitted(what: "the log is open read-only") }
        var head = head
        let isOther = head.storeID != storeID || head.epoch != epoch
        guard !isOther || head.sequence == 0 else {
            throw .contradiction(what: "the log is not empty, and differs from the shared log")
        }
        (head.storeID, head.epoch) = (storeID, epoch)
        var identity = try Self.meta(environment, tables, RowKey.identity, as: LogIdentity.self, of: "the header row")
        identity.storeID = storeID
        // Makes the next start treat it as a copied log, which begins a new epoch.
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

    /// Adopts a copied file: it stays a copy of the shared log, but gets a new copy id.
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
