/// The beginning of a compacted log: the records up to here are gone, and the base holds the state after them.
public struct Base: Sendable, Equatable {
    /// The last record that is gone.
    public var sequence: UInt64
    public var checksum: UInt64
    /// Its time, in microseconds since 1970.
    public var time: Int64
    /// The name of the newest archive; `nil` for a log that began here and never had the records.
    public var archive: String?

    public init(sequence: UInt64, checksum: UInt64, time: Int64, archive: String?) {
        self.sequence = sequence
        self.checksum = checksum
        self.time = time
        self.archive = archive
    }
}
