internal import CLMDB

/// The size of a table.
public struct TableStatistics: Sendable, Equatable {
    /// How many rows it has.
    public let rows: Int
    /// How many pages it takes.
    public let pages: Int
    /// How many levels its tree has.
    public let depth: Int

    init(_ transaction: OpaquePointer, _ table: Table) throws(LMDBError) {
        var statistics = MDB_stat()
        try check(mdb_stat(transaction, table.identifier, &statistics))
        rows = statistics.ms_entries
        pages = statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages
        depth = Int(statistics.ms_depth)
    }
}
