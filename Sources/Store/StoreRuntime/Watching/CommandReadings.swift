import Reducing
import Synchronization

/// The open commands as they were read once for all who follow them.
struct CommandReading<Command: NamedCommand>: Sendable {
    let commands: [OpenCommand<Command>]
    /// How often the bell had rung when it began.
    let rings: UInt64
    /// How long nobody reads anew after it: ten times what it took, so that those who ask for something else have their turn.
    let pause: Duration
    let end: ContinuousClock.Instant

    init(_ commands: [OpenCommand<Command>], rings: UInt64, since begin: ContinuousClock.Instant) {
        (self.commands, self.rings) = (commands, rings)
        end = .now
        pause = max(.milliseconds(Limits.commandsPauseMilliseconds), (end - begin) * 10)
    }
}

/// Has the open commands read by one of those who follow them, for all.
final class CommandReadings<Command: NamedCommand>: Sendable {
    /// What is to be done by who needs to know them.
    enum Turn {
        case known(CommandReading<Command>)
        /// To ask again, after so long.
        case wait(Duration)
        /// To read them, and then to call `end`.
        case read
    }

    private struct Content {
        var latest: CommandReading<Command>?
        var followers = 0
        var isUnderWay = false
    }

    private let content = Mutex(Content())

    func join() { content.withLock { $0.followers += 1 } }

    /// What is kept goes with the last who follows.
    func leave() {
        content.withLock { content in
            content.followers -= 1
            if content.followers == 0 { content.latest = nil }
        }
    }

    /// - Parameters:
    ///   - told: how often the bell had rung before what this follower was told last; `nil`: nothing yet.
    ///   - rings: how often it has rung.
    func turn(after told: UInt64?, rings: UInt64) -> Turn {
        content.withLock { content in
            if let latest = content.latest {
                let age = latest.end.duration(to: .now)
                if latest.rings >= rings { return .known(latest) }
                if age < latest.pause {
                    // Of who was told nothing yet it may be asked what it did just now.
                    if let told, latest.rings > told { return .known(latest) }
                    return .wait(latest.pause - age)
                }
            }
            if content.isUnderWay { return .wait(.milliseconds(Limits.commandsPauseMilliseconds)) }
            content.isUnderWay = true
            return .read
        }
    }

    /// Ends a reading, with what was read, if anything was.
    func end(_ reading: CommandReading<Command>?) {
        content.withLock { content in
            content.isUnderWay = false
            if let reading, content.followers > 0 { content.latest = reading }
        }
    }
}
