internal import CLMDB

/// One table of an environment; opened once, in a write or read transaction, and valid for the environment's life.
public struct Table: Sendable, Equatable {
    /// What the keys of a table are.
    public enum Keys: Sendable {
        /// Bytes, in their lexical order.
        case bytes
        /// 64-bit integers in the machine's own byte order, in numerical order.
        case integers

        var flags: UInt32 {
            switch self {
            case .bytes: 0
            case .integers: UInt32(MDB_INTEGERKEY)
            }
        }
    }

    let identifier: MDB_dbi
}
