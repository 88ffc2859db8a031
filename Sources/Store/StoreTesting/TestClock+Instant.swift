extension TestClock {
    /// A point in a test's time.
    public struct Instant: InstantProtocol {
        /// The time since 1970.
        public var sinceEpoch: Duration

        /// Makes an instant from microseconds since 1970.
        public init(microseconds: Int64) { sinceEpoch = .microseconds(microseconds) }

        /// Whole microseconds since 1970; what is finer is cut off.
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

        /// How much later the other is.
        public func duration(to other: Instant) -> Duration { other.sinceEpoch - sinceEpoch }

        /// Whether this one comes first.
        public static func < (left: Instant, right: Instant) -> Bool { left.sinceEpoch < right.sinceEpoch }
    }
}
