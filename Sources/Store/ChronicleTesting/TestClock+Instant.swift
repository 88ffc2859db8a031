extension TestClock {
    /// An instant of a test clock.
    public struct Instant: InstantProtocol {
        /// The time since 1970.
        public var sinceEpoch: Duration

        /// Creates an instant from microseconds since 1970.
        public init(microseconds: Int64) { sinceEpoch = .microseconds(microseconds) }

        /// Whole microseconds since 1970, rounded down.
        public var microseconds: Int64 {
            let (seconds, attoseconds) = sinceEpoch.components
            return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        }

        /// The instant that much later.
        public func advanced(by duration: Duration) -> Instant {
            var later = self
            later.sinceEpoch += duration
            return later
        }

        /// The duration until another instant.
        public func duration(to other: Instant) -> Duration { other.sinceEpoch - sinceEpoch }

        /// Whether the left instant is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.sinceEpoch < right.sinceEpoch }
    }
}
