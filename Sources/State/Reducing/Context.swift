/// What a reducer may know besides its state and the action: what stands in the record.
public struct Context: Sendable, Equatable {
    /// Microseconds since 1970, strictly increasing from record to record.
    public var time: Int64
    /// The uid of the peer who dispatched.
    public var origin: UInt32

    /// Makes a context.
    public init(time: Int64, origin: UInt32) {
        self.time = time
        self.origin = origin
    }

    /// A context for tests: noon of 20 November 2026 UTC, uid 1000.
    public static let test = Context(time: 1_795_176_000_000_000, origin: 1000)
}
