import Chronicle
import Synchronization

struct CommandReading<Command: NamedCommand>: Sendable {
    let commands: [OpenCommand<Command>]
    let generation: UInt64
    /// The minimum time until the next read: ten times its duration, so that other queries get their share.
    let pause: Duration
    let end: ContinuousClock.Instant

    init(_ commands: [OpenCommand<Command>], generation: UInt64, since begin: ContinuousClock.Instant) {
        (self.commands, self.generation) = (commands, generation)
        end = .now
        pause = max(.milliseconds(Limits.commandsPauseMilliseconds), (end - begin) * 10)
    }
}

/// Shares reads of the open commands: one subscriber reads them for all.
final class SnapshotReader<Command: NamedCommand>: Sendable {
    enum Turn {
        case known(CommandReading<Command>)
        case wait(Duration)
        case read
    }

    private struct Content {
        var latest: CommandReading<Command>?
        var followers = 0
        var isUnderWay = false
    }

    private let content = Mutex(Content())

    func join() { content.withLock { $0.followers += 1 } }

    func leave() {
        content.withLock { content in
            content.followers -= 1
            if content.followers == 0 { content.latest = nil }
        }
    }

    /// - Parameter told: the generation of the last delivery; `nil` before the first one.
    func turn(after told: UInt64?, generation: UInt64) -> Turn {
        content.withLock { content in
            if let latest = content.latest {
                let age = latest.end.duration(to: .now)
                if latest.generation >= generation { return .known(latest) }
                if age < latest.pause {
                    // A new subscriber may depend on a command that it requested just now, so an older snapshot will not do.
                    if let told, latest.generation > told { return .known(latest) }
                    return .wait(latest.pause - age)
                }
            }
            if content.isUnderWay { return .wait(.milliseconds(Limits.commandsPauseMilliseconds)) }
            content.isUnderWay = true
            return .read
        }
    }

    func end(_ reading: CommandReading<Command>?) {
        content.withLock { content in
            content.isUnderWay = false
            if let reading, content.followers > 0 { content.latest = reading }
        }
    }
}

/// Notifies subscribers of each flush that changed the open commands; called on the store's thread.
///
/// A subscriber pauses before it waits again (`Limits.commandsPauseMilliseconds`), so that each flush resumes few tasks.
final class ChangeSignal: Sendable {
    private struct Waiting {
        var generation: UInt64 = 0
        var hasEnded = false
        var nextNumber: UInt64 = 0
        var byNumber: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    }

    private let content = Mutex(Waiting())

    var generation: UInt64 { content.withLock { $0.generation } }

    func notify() { resume(returning: true) { $0.generation += 1 } }
    func end() { resume(returning: false) { $0.hasEnded = true } }

    private func resume(returning goesOn: Bool, _ change: (inout Waiting) -> Void) {
        let due = content.withLock { waiting in
            change(&waiting)
            defer { waiting.byNumber = [:] }
            return waiting.byNumber.values
        }
        for continuation in due { continuation.resume(returning: goesOn) }
    }

    /// Waits until there were more than this number of notifications.
    /// - Returns: `false` if the task was cancelled or the store has stopped.
    func next(after generation: UInt64) async -> Bool {
        let number = content.withLock { waiting in
            waiting.nextNumber += 1
            return waiting.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = content.withLock { waiting in
                    if waiting.generation > generation { return true }
                    // Checked under the lock: a later cancellation finds the registered continuation.
                    if waiting.hasEnded || Task.isCancelled { return false }
                    waiting.byNumber[number] = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            content.withLock { $0.byNumber.removeValue(forKey: number) }?.resume(returning: false)
        }
    }
}
