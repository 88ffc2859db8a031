internal import CLMDB
internal import Glibc

/// An error of LMDB; a missing key is no error.
public enum LMDBError: Error, Sendable, Equatable {
    /// The map has no free page; remedy: a larger map at the next opening, or compaction.
    case mapFull
    /// The disk, a quota or a file size limit is full; LMDB often reports a short write as `io(EIO)` instead.
    case diskFull
    /// The file is damaged or not LMDB's; the code names the failed check.
    case corruption(Int32)
    /// A meta page could not be written: it is unknown what is on disk, and the environment refuses everything.
    case panic
    case io(Int32)
    case readersFull
    /// An inserted key exists, or an appended key is not above the last one.
    case keyExists
    /// A key that is empty or longer than 511 bytes, or a value of 4 GiB or more.
    case badSize
    /// The transaction has too many changes for LMDB.
    case transactionFull
    case mapTooSmall(usedBytes: Int, mapBytes: Int)
    case other(Int32)

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
    public var description: String {
        switch self {
        case .mapFull: "the map is full"
        case .diskFull: "the disk is full"
        case .corruption(let code): "the environment is damaged: \(Self.text(code))"
        case .panic: "writing a meta page failed: the content of the disk is unknown"
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

func check(_ code: Int32) throws(LMDBError) {
    guard code == MDB_SUCCESS else { throw LMDBError(code: code) }
}

func hasFound(_ code: Int32) throws(LMDBError) -> Bool {
    if code == MDB_NOTFOUND { return false }
    try check(code)
    return true
}

/// An error type that can wrap LMDB's, so that a transaction and its closure throw the same type.
public protocol LMDBFailure: Error {
    init(_ error: LMDBError)
}

extension LMDBError: LMDBFailure {
    public init(_ error: LMDBError) { self = error }
}
