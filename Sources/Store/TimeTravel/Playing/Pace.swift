/// The speed of a replay: the original pauses, scaled and limited.
public struct Pace: Sendable, Equatable {
    /// Speed in thousandths of the original; at least 1.
    public var speed: UInt64
    /// Maximum pause in microseconds; `nil`: unlimited.
    public var gapMax: UInt64?

    public init(speed: UInt64, gapMax: UInt64? = nil) {
        self.speed = speed
        self.gapMax = gapMax
    }

    /// The pause between two records, by their times in microseconds since 1970.
    public func pause(from earlier: Int64, to later: Int64) -> Duration {
        let gap = max(0, Double(later) - Double(earlier)) * 1_000 / Double(max(speed, 1))
        return .microseconds(Int64(min(gap, gapMax.map { Double($0) } ?? .infinity, Self.endless)))
    }

    // About thirty thousand years, which a clock can still represent.
    private static let endless = 1e18
}
