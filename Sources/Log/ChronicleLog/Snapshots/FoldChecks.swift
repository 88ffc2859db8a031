public import ChronicleValues

/// What a run of records changed in the state, a checksum of 32 bits for each: so that other code that folds them finds the first that
/// it folds differently.
///
/// They are a cache: written beside the log by the code that runs, when nobody waits, and good for nothing once the log is another.
public struct FoldChecks: Sendable, Equatable {
    /// Records in one run, which begins behind a multiple of it.
    public static let recordsMax: UInt64 = 8_192

    /// The first record.
    public var first: UInt64
    /// One for each record from the first on; `unknown` for one that nobody looked at.
    public var checks: [UInt32]
    /// The checksum of the last record: a log with another one there is not that of the checks.
    public var checksum: UInt64
    /// Names the code that folded.
    public var fingerprint: String
    /// How many redactions the log had when the fold began.
    public var redactions: UInt64

    public init(first: UInt64, checks: [UInt32] = [], checksum: UInt64 = 0, fingerprint: String, redactions: UInt64 = 0) {
        self.first = first
        self.checks = checks
        self.checksum = checksum
        self.fingerprint = fingerprint
        self.redactions = redactions
    }

    /// The last record; the one before the first of an empty run.
    public var last: UInt64 { first + UInt64(checks.count) - 1 }

    /// The first record of the run that a record is in.
    public static func first(for sequence: UInt64) -> UInt64 { (sequence - 1) / recordsMax * recordsMax + 1 }

    /// The check of a record that nobody looked at.
    public static let unknown: UInt32 = 0
    /// The check of a record that changed nothing.
    public static let nothing: UInt32 = 1

    /// The check of what a record changed.
    public static func check(_ bytes: [UInt8]) -> UInt32 {
        bytes.isEmpty ? nothing : max(2, UInt32(truncatingIfNeeded: Checksum.of(bytes.span.bytes)))
    }
}

extension FoldChecks: CanonicalCodable {
    /// Fields: 1 first, 2 checks (bytes, four each, the lowest first), 3 checksum, 4 fingerprint, 5 redactions.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, first)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(checks.count * 4)
        for check in checks {
            for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: check >> shift)) }
        }
        writer.field(2, bytes)
        writer.field(3, checksum)
        writer.field(4, fingerprint)
        writer.field(5, redactions)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(first: 0, fingerprint: "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: first = try cursor.uint(bytes)
            case 2:
                let stored = try cursor.bytes(bytes)
                guard stored.count % 4 == 0 else { throw CanonicalError(.notCanonical, at: cursor.offset) }
                checks = stride(from: 0, to: stored.count, by: 4).map { place in
                    (0..<4).reduce(0) { $0 | UInt32(stored[place + $1]) << (8 * UInt32($1)) }
                }
            case 3: checksum = try cursor.uint(bytes)
            case 4: fingerprint = try cursor.text(bytes)
            case 5: redactions = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

/// Keeps runs of checks, each under its first record.
public protocol FoldCheckSeries: Sendable {
    /// The first records of all runs, the smallest first.
    func firsts() -> [UInt64]

    /// The run that begins with a record; `nil` unless it is exactly what was written.
    func read(_ first: UInt64) -> FoldChecks?

    /// Keeps a run, whole or not at all, in the place of another of its first record.
    func write(_ checks: FoldChecks) throws(ActionLogError)

    /// Removes the run that begins with a record.
    func remove(_ first: UInt64)
}
