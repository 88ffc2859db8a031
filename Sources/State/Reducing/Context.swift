/// What a reducer may know besides its state and the action: what stands in the record.
public struct Context: Sendable, Equatable {
    /// Microseconds since 1970, strictly increasing from record to record.
    public var time: Int64
    /// What the machine's clock showed, which is another time where the log doubts it, or is ahead of it.
    ///
    /// For `prepare` alone, whose decision is logged.
    public var wallTime: Int64
    /// The uid of the peer who dispatched.
    public var origin: UInt32

    /// Makes a context; without a wall time the clock showed `time`.
    public init(time: Int64, wallTime: Int64? = nil, origin: UInt32) {
        self.time = time
        self.wallTime = wallTime ?? time
        self.origin = origin
    }

    /// A context for tests: noon of 20 November 2026 UTC, uid 1000.
    public static let test = Context(time: 1_795_176_000_000_000, origin: 1000)
}
