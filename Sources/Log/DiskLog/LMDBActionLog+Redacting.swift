internal import LMDB
public import Records
internal import Synchronization

extension LMDBActionLog {
    /// Puts other payloads in the place of those that records have, all of them or none.
    public func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) {
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
        do throws(LMDBError) {
            try environment.write { (transaction) throws(LMDBError) in
                for (sequence, value) in values { try transaction.put(sequence, value.span.bytes, in: tables.records) }
                try transaction.put(key.span.bytes, row.span.bytes, in: tables.meta)
            }
        } catch {
            throw failed(error, byteCount: values.reduce(row.count) { $0 + $1.value.count })
        }
        position.withLock { position in
            position.redactions = redactions
            for (sequence, _) in values { position.meanwhile?.redacted.append(sequence) }
        }
    }
}
