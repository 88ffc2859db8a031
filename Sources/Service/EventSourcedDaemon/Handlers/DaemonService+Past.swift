import Expressions
import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func diff(_ input: DiffMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let (from, to) = (try input.from.moment("from"), try input.to.moment("to"))
        let path = try input.path.map { text throws(APIError) in try Path(sent: text, of: App.shape) }
        let (more, isPatch) = (reply.more, input.patch == true)
        answer(reply) { [history, heldAnswers] stream in
            let differences = try await history.diff(from, to, at: path)
            try await heldAnswers.hold(differences.changes, for: peer.uid) {
                try await stream.end(list: differences.changes, inPages: more, bytes: \.approximateBytes) {
                    DiffMethod.Output(differences, $0, isPatch: isPatch)
                }
            }
        }
    }
}

extension DiffMethod.Output {
    fileprivate init(_ differences: Differences, _ page: [Change], isPatch: Bool) {
        self.init(
            from: differences.from, to: differences.to, changes: isPatch ? nil : page,
            patch: isPatch ? PatchOperation.operations(of: page).map(\.value) : nil)
    }
}

extension DaemonService {
    func check(_ input: CheckMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let expression = try Expression(sent: input.expression, of: App.shape, on: .state)
        let (from, to) = (try input.from?.moment("from") ?? .start, try input.to?.moment("to") ?? .now)
        let wanted: History<App>.Wanted = input.all == true ? .all : .first
        answer(reply) { [history] stream in
            let violations = try await reply.reporting(on: stream) {
                CheckMethod.Output(reached: $0)
            } _: { progress in
                try await history.check(where: expression, from: from, to: to, wanted, progress: progress)
            }
            stream.end(
                CheckMethod.Output(
                    reached: violations.range.upperBound, from: violations.range.lowerBound, to: violations.range.upperBound,
                    violations: violations.ranges.map { SpanMessage(from: $0.lowerBound, to: $0.upperBound) },
                    cut: violations.isCut))
        }
    }
}

extension DaemonService {
    func bisect(_ input: BisectMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let expression = try Expression(sent: input.expression, of: App.shape, on: .state)
        let (good, bad) = (try input.good?.moment("good") ?? .start, try input.bad?.moment("bad") ?? .now)
        if input.linear == true, input.quick == true { throw .invalidParameter("quick") }
        let method: Bisection.Method? = input.linear == true ? .linear : input.quick == true ? .halving : nil
        answer(reply) { [history] stream in
            let bisection = try await reply.reporting(on: stream) {
                BisectMethod.Output(reached: $0)
            } _: { progress in
                try await history.bisect(where: expression, good: good, bad: bad, by: method, progress: progress)
            }
            stream.end(BisectMethod.Output(bisection))
        }
    }
}

extension BisectMethod.Output {
    fileprivate init(_ bisection: Bisection) {
        self.init(
            reached: bisection.looks.last?.sequence ?? bisection.range.upperBound, from: bisection.range.lowerBound,
            to: bisection.range.upperBound, flips: UInt64(bisection.flips),
            looks: bisection.looks.map { LookMessage(sequence: $0.sequence, holds: $0.holds) },
            method: bisection.method.rawValue)
        switch bisection.outcome {
        case .heldAtStart: outcome = "heldAtStart"
        case .neverHeld: outcome = "neverHeld"
        case .found(let sequence):
            outcome = "found"
            self.sequence = sequence
            changes = bisection.changes?.fitting
            if changes == nil { cut = true }
        }
    }
}
