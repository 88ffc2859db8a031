public import Reducing

/// Keeps no stars, and takes a second to do so.
public struct BundledStars: StarTarget {
    private let pause: Pause

    /// A target that takes its time.
    public init(delay: Duration = .seconds(1)) { pause = Pause(duration: delay) }

    /// Succeeds for every id.
    public func set(_ id: String, starred: Bool, _ ticket: CommandTicket) async throws(CommandFailure) {
        try pause.pass(ticket)
    }
}
