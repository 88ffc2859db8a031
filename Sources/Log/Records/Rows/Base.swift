/// Where a compacted log begins: what came up to here is in an archive, and its outcome in the base.
public struct Base: Sendable, Equatable {
    /// The last record that is gone.
    public var sequence: UInt64
    /// Its checksum, which the record after it names.
    public var checksum: UInt64
    /// Its time, in microseconds since 1970.
    public var time: Int64
    /// The name of the archive.
    public var archive: String

    /// Makes one.
    public init(sequence: UInt64, checksum: UInt64, time: Int64, archive: String) {
        self.sequence = sequence
        self.checksum = checksum
        self.time = time
        self.archive = archive
    }
}
