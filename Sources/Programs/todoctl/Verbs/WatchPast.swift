import ArgumentParser
import Chronicle
import TodoAPI

/// From when something is watched, and how fast that comes into the present.
struct PastOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Begin at a moment of the past, and play on into the present.", valueName: "point"),
        completion: .moments)
    var from: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --from, so many times as fast as it happened; 1, if left out.", valueName: "number"),
        transform: Numeral.speed)
    var speed: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --from, wait no longer than that between two changes; 5, if left out.", valueName: "seconds"),
        transform: Numeral.seconds)
    var gapMax: Double?

    func validate() throws {
        guard from != nil || speed == nil && gapMax == nil else {
            throw ValidationError("--speed and --gap-max are about the past: say with --from where it begins.")
        }
    }

    /// What to ask for; `nil` of the present alone.
    func past(_ session: Session) throws(Failure) -> WatchedPast? {
        guard let from else { return nil }
        return WatchedPast(
            from: try session.point(from, edge: .momentBefore), speed: UInt64(((speed ?? 1) * 1_000).rounded()),
            gapMax: UInt64(((gapMax ?? 5) * 1_000_000).rounded()))
    }
}

/// A past that is watched, so that it goes on where it was after the daemon was away.
final class WatchedPast {
    private let from: Point
    private let speed: UInt64
    private let gapMax: UInt64
    // The last moment that was told whole.
    private var told: (epoch: UInt64, sequence: UInt64)?
    private var isLive = false
    // Whether the state that was told before comes once more.
    private var isResumed = false

    /// `speed` is in thousandths, `gapMax` in microseconds.
    init(from: Point, speed: UInt64, gapMax: UInt64) {
        self.from = from
        self.speed = speed
        self.gapMax = gapMax
    }

    /// Asks for what was not told yet.
    func input(_ scope: String?) -> SubscribeMethod.Input {
        isResumed = told != nil
        return SubscribeMethod.Input(
            scope: scope, from: told.map { Point(sequence: $0.sequence) } ?? from, epoch: told?.epoch,
            // What was missed of the present is no film.
            speed: isLive ? nil : speed, gapMax: isLive ? nil : gapMax)
    }

    /// Whether a reply is news, and not a piece of the state that was told before the daemon went away.
    func isNews(_ reply: SubscribeMethod.Output) -> Bool {
        let isKnown = isResumed && reply.state != nil && reply.sequence == told?.sequence
        if reply.complete {
            isResumed = false
            told = (reply.epoch, reply.sequence)
            if reply.past != true { isLive = true }
        }
        return !isKnown
    }
}
