/// A star button.
public struct Star: Sendable, Equatable {
    /// What a button shows, and what it then does.
    public enum Phase: UInt64, Sendable, Equatable, CaseIterable {
        /// Without a star.
        case unstar = 0
        /// About to get its star.
        case staring = 1
        /// With a star.
        case star = 2
        /// About to lose its star.
        case unstaring = 3

        /// Its name on the wire.
        public var name: String {
            switch self {
            case .unstar: "unstar"
            case .staring: "staring"
            case .star: "star"
            case .unstaring: "unstaring"
            }
        }

        /// Whether a request is under way, so that the button can't be pressed.
        public var isTransition: Bool { self == .staring || self == .unstaring }
    }

    /// What it shows.
    public var phase: Phase
    /// How many stars there are, from 0 to 2^53 - 1; it changes only when a request has succeeded.
    public var starCount: Int64

    /// Makes a star button; it begins without a star.
    public init(_ phase: Phase = .unstar, starCount: Int64 = 0) {
        self.phase = phase
        self.starCount = starCount
    }
}
