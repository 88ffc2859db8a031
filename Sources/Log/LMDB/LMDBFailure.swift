/// An error that can hold one of LMDB's, so that a transaction's closure and the transaction throw the same type.
public protocol LMDBFailure: Error {
    /// Takes over an error of LMDB.
    init(_ error: LMDBError)
}

extension LMDBError: LMDBFailure {
    /// The error itself.
    public init(_ error: LMDBError) { self = error }
}
