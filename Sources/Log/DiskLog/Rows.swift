public import ChronicleLog
internal import ChronicleValues
public import LMDB

extension ActionLogError: LMDBFailure {
    public init(_ error: LMDBError) { self.init(reading: error, sequence: 0) }

    /// Adds the sequence of a record to an error of LMDB without one.
    func about(_ sequence: UInt64) -> ActionLogError {
        guard case .damaged(0, let what) = self else { return self }
        return .damaged(sequence: sequence, what: what)
    }
}

extension ReadTransaction {
    borrowing func row<Value: CanonicalCodable>(
        _ key: RawSpan, in table: Table, as type: Value.Type, of name: @autoclosure () -> String
    ) throws(ActionLogError) -> Value? {
        try get(key, in: table) { (value) throws(ActionLogError) in
            try Row.open(value, key: key, as: type, sequence: 0, of: name())
        }
    }
}
