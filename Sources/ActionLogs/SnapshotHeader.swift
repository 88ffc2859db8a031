public import ActionCoding

/// What a snapshot is of.
public struct SnapshotHeader: Sendable, Equatable {
    /// The last record that the state holds.
    public var sequence: UInt64
    /// The checksum of that record: a log with another one there is not the snapshot's.
    public var checksum: UInt64
    /// The epoch in which it was taken.
    public var epoch: UInt64
    /// Names the code that folded the state; a snapshot of other code is not used.
    public var fingerprint: String

    /// Makes a header.
    public init(sequence: UInt64, checksum: UInt64, epoch: UInt64, fingerprint: String) {
        self.sequence = sequence
        self.checksum = checksum
        self.epoch = epoch
        self.fingerprint = fingerprint
    }
}

extension SnapshotHeader: CanonicalCodable {
    /// Writes what differs from an empty header.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, sequence)
        writer.field(2, checksum)
        writer.field(3, epoch)
        writer.field(4, fingerprint)
    }

    /// Reads a header.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(sequence: 0, checksum: 0, epoch: 0, fingerprint: "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: sequence = try cursor.uint(bytes)
            case 2: checksum = try cursor.uint(bytes)
            case 3: epoch = try cursor.uint(bytes)
            case 4: fingerprint = try cursor.text(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
