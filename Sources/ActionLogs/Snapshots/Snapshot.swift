/// A cached state: may be thrown away at any time, because the log holds everything.
public struct Snapshot: Sendable, Equatable {
    /// The last record that the state holds.
    public var sequence: UInt64
    /// The checksum of that record: a log with another one there is not the snapshot's.
    public var checksum: UInt64
    /// The epoch in which it was taken.
    public var epoch: UInt64
    /// The time of that record, in microseconds since 1970.
    public var time: Int64
    /// Names the code that folded the state; a snapshot of other code is not used.
    public var fingerprint: String
    /// How many redactions the log had when the fold began.
    public var redactions: UInt64
    /// The canonical bytes of the state.
    public var state: [UInt8]

    /// Makes a snapshot.
    public init(
        sequence: UInt64, checksum: UInt64, epoch: UInt64, time: Int64, fingerprint: String, redactions: UInt64 = 0,
        state: [UInt8]
    ) {
        self.sequence = sequence
        self.checksum = checksum
        self.epoch = epoch
        self.time = time
        self.fingerprint = fingerprint
        self.redactions = redactions
        self.state = state
    }

    /// The digest of the state: equal states of all builds have the same.
    public var digest: UInt64 { Checksum.of(state.span.bytes) }
}
