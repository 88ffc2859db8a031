public import ChronicleLog
internal import ChronicleValues
public import LMDB

extension ActionLogError: LMDBFailure {
    /// The error of a reader.
    public init(_ error: LMDBError) { self.init(reading: error, sequence: 0) }

    /// Adds the record, which LMDB does not know.
    func about(_ sequence: UInt64) -> ActionLogError {
        guard case .damaged(0, let what) = self else { return self }
        return .damaged(sequence: sequence, what: what)
    }
}

extension ReadTransaction {
    /// The row of a key; `nil` if it does not exist.
    borrowing func row<Value: CanonicalCodable>(
        _ key: RawSpan, in table: Table, as type: Value.Type, of name: @autoclosure () -> String
    ) throws(ActionLogError) -> Value? {
        try get(key, in: table) { (value) throws(ActionLogError) in
            try Row.open(value, key: key, as: type, sequence: 0, of: name())
        }
    }
}

extension WriteTransaction {
    /// Sets the row of a key.
    borrowing func put(_ value: some CanonicalCodable, key: [UInt8], in table: Table) throws(LMDBError) {
        let row = Row.sealed(value, key: key)
        try put(key.span.bytes, row.span.bytes, in: table)
    }
}

extension Environment {
    static var pieceBytesMax: Int { 16 << 20 }

    /// Reads the rows of a table in pieces of about `pieceBytesMax`, each in a transaction of its own.
    func eachPiece<Failure: LMDBFailure>(
        of table: Table, _ body: ([(key: [UInt8], value: [UInt8])]) throws(Failure) -> Void
    ) throws(Failure) {
        var start: [UInt8] = []
        while true {
            var piece: [(key: [UInt8], value: [UInt8])] = []
            var bytes = 0
            try read { (transaction) throws(Failure) in
                try transaction.eachRow(of: table, from: start) { (key, value) throws(Failure) in
                    piece.append(([UInt8](key), [UInt8](value)))
                    bytes += key.byteCount + value.byteCount
                    return bytes < Self.pieceBytesMax
                }
            }
            guard let last = piece.last else { return }
            try body(piece)
            start = last.key + [0]
        }
    }
}
