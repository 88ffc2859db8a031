internal import CLMDB

/// How much of the map is in use.
public struct MapUsage: Sendable, Equatable {
    /// The size of the map, in bytes.
    public let mapBytes: Int
    /// Up to where the map has been used, in bytes; pages freed since then are counted as used.
    public let usedBytes: Int
    /// The size of a page, in bytes.
    public let pageBytes: Int

    init(_ environment: OpaquePointer) {
        var information = MDB_envinfo()
        var statistics = MDB_stat()
        // Neither can fail on an open environment.
        mdb_env_info(environment, &information)
        mdb_env_stat(environment, &statistics)
        mapBytes = information.me_mapsize
        pageBytes = Int(statistics.ms_psize)
        usedBytes = (information.me_last_pgno + 1) * pageBytes
    }
}
