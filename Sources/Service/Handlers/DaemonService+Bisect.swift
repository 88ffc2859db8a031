import Expressions
import Reducing
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func bisect(_ input: BisectMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let expression = try Expression(sent: input.expression, of: App.shape)
        let (good, bad) = (try input.good?.moment("good") ?? .start, try input.bad?.moment("bad") ?? .now)
        if input.linear == true, input.quick == true { throw .invalidParameter("quick") }
        let method: Bisection.Method? = input.linear == true ? .linear : input.quick == true ? .halving : nil
        answer(reply) { [timeline] stream in
            let bisection = try await reply.reporting(on: stream) {
                BisectMethod.Output(reached: $0)
            } _: { progress in
                try await timeline.bisect(where: expression, good: good, bad: bad, by: method, progress: progress)
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
