public import ChronicleLog
internal import LMDB
internal import Synchronization

extension LMDBActionLog {
    public func read(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        let walk = RecordWalk(from: first, through: min(last, readable), recordsMax: recordsMax, bytesMax: bytesMax)
        return try run(walk) { (value, check, sequence) throws(ActionLogError) in
            body(try check.fullHeader(value, sequence: sequence), value.extracting(check.payload))
        }
    }

    public func fold(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        let walk = RecordWalk(from: first, through: min(last, readable), recordsMax: .max, bytesMax: .max)
        return try run(walk) { (value, check, sequence) throws(ActionLogError) in
            body(try check.fields(value, sequence: sequence), value.extracting(check.payload))
        }
    }

    public func sealed(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (SealedRecord) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try run(RecordWalk(from: first, through: min(last, readable), recordsMax: recordsMax, bytesMax: bytesMax)) {
            (value, _, sequence) throws(ActionLogError) in
            body(try SealedRecord([UInt8](value), sequence: sequence))
        }
    }

    private func run(
        _ start: RecordWalk, _ body: (RawSpan, RecordCheck, UInt64) throws(ActionLogError) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        var walk = start
        var touched = TouchedPages()
        let contents = contents
        let environment = contents.environment
        if let base = contents.base { try walk.begin(behind: base) }
        while !walk.isDone {
            do {
                try environment.read { (transaction) throws(LMDBError) in
                    walk.beginView()
                    if walk.previous == nil { link(&walk, transaction) }
                    if walk.isDone { return }
                    let pages = try transaction.scan(tables.records, from: walk.next) { sequence, value in
                        walk.take(sequence, value) { (check, sequence) throws(ActionLogError) in
                            try body(value, check, sequence)
                        }
                    }
                    touched.formUnion(pages)
                    walk.endView()
                }
            } catch {
                throw ActionLogError(reading: error, sequence: walk.next)
            }
            // Otherwise the pages of a long scan would count as resident memory.
            if touched.byteCount > Self.touchedBytesMax { environment.giveBack(&touched) }
        }
        if let error = walk.error { throw error }
        return walk.next
    }

    private static let touchedBytesMax = 256 << 10

    // The first record of a walk is checked against the one before it.
    private func link(_ walk: inout RecordWalk, _ transaction: borrowing ReadTransaction) {
        let before = walk.next - 1
        do throws(ActionLogError) {
            walk.previous = try Self.check(before, transaction, tables).checksum
        } catch {
            walk.fail(error)
        }
    }

    public func sequence(atOrBefore time: Int64, in range: ClosedRange<UInt64>) throws(ActionLogError) -> UInt64 {
        let contents = contents
        let (first, last) = (max(range.lowerBound, contents.first), min(range.upperBound, head.sequence))
        return try firstSequence(first, through: last) { (sequence) throws(ActionLogError) in
            try Self.checked(sequence, contents.environment, tables).fields.time > time
        } - 1
    }

    public func checksum(of sequence: UInt64) throws(ActionLogError) -> UInt64? {
        guard sequence > 0 else { return 0 }
        let contents = contents
        if let base = contents.base, sequence <= base.sequence { return sequence == base.sequence ? base.checksum : nil }
        guard sequence <= head.sequence else { return nil }
        return try Self.checked(sequence, contents.environment, tables).checksum
    }

    public func redact(
        _ payloads: [(sequence: UInt64, payload: [UInt8])], at place: ReplicaPlace?,
        once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        guard lock != nil else { throw .notPermitted(what: "the log is open read-only") }
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
