internal import CLMDB
internal import Glibc

/// What LMDB can answer instead of doing what was asked.
///
/// A key that is not there is no error: readers give `nil`.
public enum LMDBError: Error, Sendable, Equatable {
    /// The map has no free page left: ends with a larger map at the next opening, or by compacting.
    case mapFull
    /// The disk, a quota or a file size limit is full; LMDB often reports `io(EIO)` instead, because it takes a short
    /// write for one.
    case diskFull
    /// The file is not, or no longer, what LMDB wrote; the code says which check failed.
    case corruption(Int32)
    /// A meta page could not be written: what is on disk is unknown, and the environment refuses everything from now on.
    case panic
    /// Any other error of the system, by its errno.
    case io(Int32)
    /// More readers at once than the environment was opened for.
    case readersFull
    /// The key exists, and it was to be new; or it is not above the last one, and it was to be appended.
    case keyExists
    /// A key that is empty or longer than LMDB takes (511 bytes), or a value of 4 GiB or more.
    case badSize
    /// More was changed in one transaction than LMDB can hold.
    case transactionFull
    /// The map is smaller than what is in use.
    case mapTooSmall(usedBytes: Int, mapBytes: Int)
    /// Any other code of LMDB.
    case other(Int32)

    /// The error of a return code that is not 0.
    init(code: Int32) {
        self =
            switch code {
            case MDB_MAP_FULL: .mapFull
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            // LMDB returns the last three only for damaged pages.
            case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_VERSION_MISMATCH, MDB_INCOMPATIBLE, MDB_CURSOR_FULL,
                MDB_PAGE_FULL:
                .corruption(code)
            case MDB_PANIC: .panic
            case MDB_READERS_FULL: .readersFull
            case MDB_KEYEXIST: .keyExists
            case MDB_BAD_VALSIZE: .badSize
            case MDB_TXN_FULL: .transactionFull
            case 1...: .io(code)
            default: .other(code)
            }
    }
}

extension LMDBError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .mapFull: "the map is full"
        case .diskFull: "the disk is full"
        case .corruption(let code): "the environment is damaged: \(Self.text(code))"
        case .panic: "writing a meta page failed, what is on disk is unknown"
        case .io(let code): Self.text(code)
        case .readersFull: "too many readers at once"
        case .keyExists: "the key exists or is not above the last one"
        case .badSize: "a key or value has a size that cannot be stored"
        case .transactionFull: "the transaction is too large"
        case .mapTooSmall(let used, let map): "the map of \(map) bytes is smaller than the \(used) bytes in use"
        case .other(let code): Self.text(code)
        }
    }

    private static func text(_ code: Int32) -> String { String(cString: mdb_strerror(code)) }
}

/// Throws the error of a return code, if it is one.
func check(_ code: Int32) throws(LMDBError) {
    guard code == MDB_SUCCESS else { throw LMDBError(code: code) }
}

/// Whether a lookup found something.
func found(_ code: Int32) throws(LMDBError) -> Bool {
    if code == MDB_NOTFOUND { return false }
    try check(code)
    return true
}

/// An error that can hold one of LMDB's, so that a transaction's closure and the transaction throw the same type.
public protocol LMDBFailure: Error {
    /// Takes over an error of LMDB.
    init(_ error: LMDBError)
}

extension LMDBError: LMDBFailure {
    /// The error itself.
    public init(_ error: LMDBError) { self = error }
}
