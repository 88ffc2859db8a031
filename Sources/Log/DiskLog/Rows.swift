public import ChronicleLog
internal import ChronicleValues
public import LMDB

extension ActionLogError: LMDBFailure {
    /// What an error of LMDB means for who reads the log.
    public init(_ error: LMDBError) { self.init(reading: error, sequence: 0) }

    /// The same of a record, where LMDB does not know which one it read.
    func about(_ sequence: UInt64) -> ActionLogError {
        guard case .damaged(0, let what) = self else { return self }
        return .damaged(sequence: sequence, what: what)
    }
}

extension ReadTransaction {
    /// The row of a key; `nil` when there is none.
    borrowing func row<Value: CanonicalCodable>(
        _ key: RawSpan, in table: Table, as type: Value.Type, of name: @autoclosure () -> String
    ) throws(ActionLogError) -> Value? {
        try get(key, in: table) { (value) throws(ActionLogError) in
            try Row.open(value, key: key, as: type, sequence: 0, of: name())
        }
    }
}
