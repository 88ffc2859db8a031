import Expressions
import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func series(_ input: SeriesMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        // Without an end it is what is served, as in Log.
        let query = SeriesQuery(
            try Expression(number: input.expression, of: App.shape), every: try input.pace, from: try input.from?.moment("from"),
            to: try input.to?.moment("to") ?? .sequence(store.present.sequence))
        answer(reply) { [history] stream in
            let pace = ReportPace()
            var cursor = try await history.series(query)
            while cursor.hasMore {
                let points = try await history.page(of: &cursor).map { point in
                    SeriesPointMessage(sequence: point.sequence, time: point.time, value: point.value)
                }
                if !points.isEmpty {
                    try await stream.send(SeriesMethod.Output(points: points))
                } else if let reached = cursor.reached, pace.isDue() {
                    try await stream.send(SeriesMethod.Output(points: [], reached: reached))
                }
            }
            stream.end(SeriesMethod.Output(points: []))
        }
    }
}

extension SeriesMethod.Input {
    /// Offsets of a clock that a caller may name.
    private static let offsetsMax = 1_024
    /// Seconds that a clock may be ahead of UTC, or behind.
    private static let offsetSecondsMax: Int64 = 100_000

    fileprivate var pace: SeriesQuery.Pace {
        get throws(APIError) {
            if every != "records", count != nil { throw .invalidParameter("count") }
            if every != "day", every != "hour", offsets != nil { throw .invalidParameter("offsets") }
            switch every {
            case "day": return .time(try clock, .day)
            case "hour": return .time(try clock, .hour)
            case "step": return .steps
            case "records":
                guard count != 0 else { throw .invalidParameter("count") }
                return .records(count ?? 1)
            default: throw .invalidParameter("every")
            }
        }
    }

    private var clock: LocalClock {
        get throws(APIError) {
            let offsets = offsets ?? []
            guard offsets.count <= Self.offsetsMax, offsets.allSatisfy({ abs($0.seconds) <= Self.offsetSecondsMax }),
                zip(offsets, offsets.dropFirst()).allSatisfy({ $0.from < $1.from })
            else { throw .invalidParameter("offsets") }
            return LocalClock(offsets.map { LocalClock.Offset(from: $0.from, microseconds: $0.seconds * 1_000_000) })
        }
    }
}
