import Chronicle
import ChronicleLog
import ChronicleStore

struct Attempt<Target: CommandTarget>: Sendable {
    typealias Event = Schedule<Target.Command, Target.Action>.Event

    let id: CommandID
    let command: Target.Command?
    let ticket: CommandTicket
    let pieces: CommandPieces<Target.Action>
    let target: Target
    let cancellation: Cancellation
    let clock: StoreClock
    let crashPoints: CrashPoints

    private enum Signal: Sendable {
        case returned(Result<Target.Action?, CommandFailure>)
        case timedOut
        case cancelled
    }

    /// Reports the outcome once, then the return of the target, which occupies its slot until then, even after a timeout.
    func run(_ mailbox: AsyncQueue<Event>) async {
        guard let command else { return mailbox.post(.returned(id)) }
        await withTaskGroup(of: Signal.self) { group in
            group.addTask { await perform(command) }
            group.addTask {
                try? await clock.sleep(command.policy.timeout)
                return Task.isCancelled ? .cancelled : .timedOut
            }
            group.addTask {
                await cancellation.wait()
                return .cancelled
            }
            var (isTold, isCancelled) = (false, false)
            for await signal in group {
                switch signal {
                case .returned(let result):
                    if let outcome = outcome(of: result, isTold, isCancelled) { mailbox.post(.outcome(id, outcome)) }
                    isTold = true
                case .timedOut where !isTold:
                    mailbox.post(.outcome(id, .timedOut))
                    isTold = true
                case .timedOut: break
                case .cancelled: isCancelled = true
                }
                group.cancelAll()
            }
        }
        mailbox.post(.returned(id))
    }

    private func perform(_ command: Target.Command) async -> Signal {
        crashPoints.pass(.beforeTarget)
        do throws(CommandFailure) {
            let fact = try await target.perform(command, ticket, pieces)
            crashPoints.pass(.afterTarget)
            return .returned(.success(fact))
        } catch {
            return .returned(.failure(error))
        }
    }

    private func outcome(
        of result: Result<Target.Action?, CommandFailure>, _ isTold: Bool, _ isCancelled: Bool
    ) -> AttemptOutcome<Target.Action>? {
        switch result {
        case .success(let fact): isTold ? .late : .result(fact)
        // The error of a cancelled target is reported only if it says that nothing was done.
        case .failure(let failure): isTold ? nil : isCancelled && failure.wait == nil ? .interrupted : .failed(failure)
        }
    }
}

enum AttemptOutcome<Action: Sendable>: Sendable {
    case result(Action?)
    case failed(CommandFailure)
    case timedOut
    case interrupted
    /// A result came after the timeout.
    case late
}

struct Cancellation: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Never.self) }

    func cancel() { continuation.finish() }

    func wait() async {
        for await _ in stream {}
    }
}
