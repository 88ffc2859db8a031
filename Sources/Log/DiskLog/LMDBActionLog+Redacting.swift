public import ChronicleLog
internal import LMDB
internal import Synchronization

extension LMDBActionLog {
    public func redact(
        _ payloads: [(sequence: UInt64, payload: [UInt8])], at place: ReplicaPlace?,
        once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        guard lock != nil else { throw .notPermitted(what: "the log is open for reading alone") }
        if let failure = position.withLock({ $0.failure }) { throw failure }
        var redactions = redactions
        var values: [(sequence: UInt64, value: [UInt8])] = []
        for (sequence, payload) in payloads {
            redactions.append(sequence)
            values.append((sequence, RecordTrailer.redacting(try sealed(sequence), payload: payload)))
        }
        let key = RowKey.redactions
        let row = Row.sealed(redactions, key: key)
        let byteCount = values.reduce(row.count) { $0 + $1.value.count }
        do throws(Failure) {
            try environment.write { (transaction) throws(Failure) in
                do throws(LMDBError) {
                    for (sequence, value) in values { try transaction.put(sequence, value.span.bytes, in: tables.records) }
                    try put(row, key, transaction)
                    if let place { try put(Row.sealed(place, key: RowKey.replica), RowKey.replica, transaction) }
                } catch {
                    throw .database(error)
                }
                do throws(ActionLogError) {
                    if place != nil { try checkRoom(byteCount: byteCount, rowCount: values.count) }
                    try isSettled()
                } catch {
                    throw .stopped(error)
                }
            }
        } catch {
            switch error {
            case .stopped(let error): throw error
            case .database(let error): throw failed(error, byteCount: byteCount)
            }
        }
        position.withLock { position in
            position.redactions = redactions
            if let place { position.place = place }
            for (sequence, _) in values { position.meanwhile?.redacted.append(sequence) }
        }
    }
}
