/// Where a log begins that has not its first records: what came up to here was compacted away, and its outcome is in the base.
public struct Base: Sendable, Equatable {
    /// The last record that is gone.
    public var sequence: UInt64
    /// Its checksum, which the record after it names.
    public var checksum: UInt64
    /// Its time, in microseconds since 1970.
    public var time: Int64
    /// The name of the archive with the last of what is gone; `nil` of a log that began here, and never had it.
    public var archive: String?

    public init(sequence: UInt64, checksum: UInt64, time: Int64, archive: String?) {
        self.sequence = sequence
        self.checksum = checksum
        self.time = time
        self.archive = archive
    }
}
