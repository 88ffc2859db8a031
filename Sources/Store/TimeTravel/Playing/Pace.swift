/// How fast the past is told: with the pauses that it had, scaled and cut short.
public struct Pace: Sendable, Equatable {
    /// Thousandths of the speed at which it happened; at least 1.
    public var speed: UInt64
    /// No pause is longer, in microseconds; `nil`: none is cut short.
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

    // Some thirty thousand years, which a clock can still count.
    private static let endless = 1e18
}
