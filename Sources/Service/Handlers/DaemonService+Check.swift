import Expressions
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func check(_ input: CheckMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let expression = try Expression(sent: input.expression, of: App.shape)
        let (from, to) = (try input.from?.moment("from") ?? .start, try input.to?.moment("to") ?? .now)
        let wanted: Timeline<App>.Wanted = input.all == true ? .all : .first
        answer(reply) { [timeline] stream in
            let violations = try await reply.reporting(on: stream) {
                CheckMethod.Output(reached: $0)
            } _: { progress in
                try await timeline.check(where: expression, from: from, to: to, wanted, progress: progress)
            }
            stream.end(
                CheckMethod.Output(
                    reached: violations.range.upperBound, from: violations.range.lowerBound, to: violations.range.upperBound,
                    violations: violations.ranges.map { SpanMessage(from: $0.lowerBound, to: $0.upperBound) },
                    cut: violations.isCut))
        }
    }
}
