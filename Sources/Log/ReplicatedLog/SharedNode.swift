import ChronicleLog
public import ChronicleValues

/// A machine's report of its position in the log.
public struct SharedNode: Sendable, Equatable {
    public var name: String
    /// The number of batches in its copy, on its own disk.
    public var batches: UInt64
    public var sequence: UInt64
    /// The time of the report by the machine's clock, in microseconds since 1970.
    public var time: Int64
    /// The base of its copy: the last compacted record; 0: the copy has all records.
    public var base: UInt64 = 0
    /// The id of its copy; 0: unknown.
    public var copyID: UInt64 = 0
    /// The epoch of the log whose batches these are; 0: unknown.
    public var epoch: UInt64 = 0
    /// Why the machine has stopped following the others, as a sentence; empty: it follows.
    public var obstacle = ""
    /// The cluster's revision of the report; 0: unknown.
    var revision: Int64 = 0

    /// Whether the last report is older than this, by a clock that may be another machine's.
    public func isAway(longerThan limit: Duration, at now: Int64) -> Bool {
        .microseconds(now.subtracting(clamping: time)) > limit
    }
}

extension SharedNode: CanonicalCodable {
    /// Unicode scalars of an obstacle, each of at most four bytes.
    static let obstacleScalarsMax = 250

    /// Fields: 1 name, 2 batches, 3 sequence, 4 time, 5 base, 6 copy id, 7 obstacle, 8 epoch.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, name)
        writer.field(2, batches)
        writer.field(3, sequence)
        writer.field(4, time)
        writer.field(5, base)
        writer.field(6, copyID)
        writer.field(7, obstacle)
        writer.field(8, epoch)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(name: "", batches: 0, sequence: 0, time: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: name = try cursor.text(bytes)
            case 2: batches = try cursor.uint(bytes)
            case 3: sequence = try cursor.uint(bytes)
            case 4: time = try cursor.int(bytes)
            case 5: base = try cursor.uint(bytes)
            case 6: copyID = try cursor.uint(bytes)
            case 7: obstacle = try cursor.text(bytes)
            case 8: epoch = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
        // A base after the end would forbid all redactions.
        guard base <= sequence, obstacle.unicodeScalars.count <= Self.obstacleScalarsMax else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
    }
}
