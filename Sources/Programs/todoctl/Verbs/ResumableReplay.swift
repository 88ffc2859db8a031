import ArgumentParser
import Chronicle
import TodoAPI

/// Options to replay the past before following the present.
struct PastOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Begin at this point, and replay up to the present.", valueName: "point"),
        completion: .moments)
    var from: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --from: speed of the replay (default: 1, the original speed).", valueName: "number"),
        transform: Numeral.speed)
    var speed: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --from: maximum pause between two changes (default: 5).", valueName: "seconds"),
        transform: Numeral.seconds)
    var gapMax: Double?

    func validate() throws {
        guard from != nil || speed == nil && gapMax == nil else {
            throw ValidationError("--speed and --gap-max need --from.")
        }
    }

    /// The replay; `nil` for the present alone.
    func past(_ session: Session) throws(Failure) -> ResumableReplay? {
        guard let from else { return nil }
        return ResumableReplay(
            from: try session.point(from, edge: .momentBefore), speed: UInt64(((speed ?? 1) * 1_000).rounded()),
            gapMax: UInt64(((gapMax ?? 5) * 1_000_000).rounded()))
    }
}

/// A replay that resumes where it was after a restart of the daemon.
final class ResumableReplay {
    private let from: Point
    private let speed: UInt64
    private let gapMax: UInt64
    // The last complete reply.
    private var lastComplete: (epoch: UInt64, sequence: UInt64)?
    private var isLive = false
    // Whether the last shown state will be sent once more.
    private var isResumed = false

    /// `speed` is in thousandths, `gapMax` in microseconds.
    init(from: Point, speed: UInt64, gapMax: UInt64) {
        self.from = from
        self.speed = speed
        self.gapMax = gapMax
    }

    /// The subscription from the last complete reply on.
    func input(_ scope: String?) -> SubscribeMethod.Input {
        isResumed = lastComplete != nil
        return SubscribeMethod.Input(
            scope: scope, from: lastComplete.map { Point(sequence: $0.sequence) } ?? from, epoch: lastComplete?.epoch,
            // Missed changes of the present are sent at once.
            speed: isLive ? nil : speed, gapMax: isLive ? nil : gapMax)
    }

    /// Whether a reply is new, as opposed to the state that was shown before the restart.
    func isNews(_ reply: SubscribeMethod.Output) -> Bool {
        let isKnown = isResumed && reply.state != nil && reply.sequence == lastComplete?.sequence
        if reply.complete {
            isResumed = false
            lastComplete = (reply.epoch, reply.sequence)
            if reply.past != true { isLive = true }
        }
        return !isKnown
    }
}
