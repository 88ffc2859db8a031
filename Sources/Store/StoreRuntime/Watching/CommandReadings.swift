import Reducing
import Synchronization

/// A snapshot of the open commands, shared by all subscribers.
struct CommandReading<Command: NamedCommand>: Sendable {
    let commands: [OpenCommand<Command>]
    /// The number of notifications when the read began.
    let rings: UInt64
    /// The minimum time until the next read: ten times its duration, so that other queries get their share.
    let pause: Duration
    let end: ContinuousClock.Instant

    init(_ commands: [OpenCommand<Command>], rings: UInt64, since begin: ContinuousClock.Instant) {
        (self.commands, self.rings) = (commands, rings)
        end = .now
        pause = max(.milliseconds(Limits.commandsPauseMilliseconds), (end - begin) * 10)
    }
}

/// Shares reads of the open commands: one subscriber reads them for all.
final class CommandReadings<Command: NamedCommand>: Sendable {
    /// The next action of a subscriber.
    enum Turn {
        case known(CommandReading<Command>)
        /// Ask again after this time.
        case wait(Duration)
        /// Read them, then call `end`.
        case read
    }

    private struct Content {
        var latest: CommandReading<Command>?
        var followers = 0
        var isUnderWay = false
    }

    private let content = Mutex(Content())

    func join() { content.withLock { $0.followers += 1 } }

    /// Drops the cached snapshot when the last subscriber leaves.
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
                    // A new subscriber may depend on a command that it requested just now, so an older snapshot will not do.
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
