internal import CLMDB

extension Environment {
    /// Copies the environment, as it is now, to an open file that is empty; without pages that are free.
    ///
    /// Readers and the writer go on meanwhile; the pages that they free are kept for as long as it takes. The copy is not
    /// yet flushed to the disk.
    public func copy(to descriptor: Int32) throws(LMDBError) {
        try withHandle { (handle) throws(LMDBError) in
            try check(mdb_env_copyfd2(handle, descriptor, UInt32(MDB_CP_COMPACT)))
        }
    }
}
