internal import LMDB
public import Records
internal import Synchronization

extension LMDBActionLog {
    /// Puts another payload in the place of a record's own.
    public func redact(_ sequence: UInt64, payload: [UInt8]) throws(ActionLogError) {
        guard lock != nil else { throw .notPermitted(what: "the log is open for reading alone") }
        if let failure = position.withLock({ $0.failure }) { throw failure }
        var redactions = redactions
        redactions.append(sequence)
        let key = RowKey.redactions
        let row = Row.sealed(redactions, key: key)
        let value = RecordTrailer.redacting(try sealed(sequence), payload: payload)
        do throws(LMDBError) {
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.put(sequence, value.span.bytes, in: tables.records)
                try transaction.put(key.span.bytes, row.span.bytes, in: tables.meta)
            }
        } catch {
            throw failed(error, byteCount: value.count + row.count)
        }
        position.withLock { position in
            position.redactions = redactions
            position.meanwhile?.redacted.append(sequence)
        }
    }
}
