import ActionLogs
import AppFeature
import Expressions
import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension TodoService {
    private static let pageOriginsMax = 256

    func blame(_ input: BlameMethod.Input, _ reply: ReplyHandle) throws(APIError) {
        let path = try Path(sent: input.path)
        let moment = try input.at?.moment("at") ?? .now
        let (wantsAll, count) = (input.all == true, input.history == true ? TravelLimits.answersMax : 1)
        answer(reply) { [self, timeline] stream in
            let origins = try await reply.reporting(on: stream) {
                BlameMethod.Output(reached: $0, origins: [], records: [])
            } _: { progress in
                try await wantsAll
                    ? timeline.origins(below: path, at: moment, progress: progress)
                    : timeline.history(of: path, at: moment, max: count, progress: progress)
            }
            var rest = origins[...]
            // Fewer than were asked for: the search came to the beginning of the log.
            let base = wantsAll || origins.count < count ? files.log.base : nil
            let isCut = !wantsAll && input.history == true && origins.count == count
            guard reply.more else { return try stream.endWhole(try await output(rest, base, isCut: isCut)) }
            while rest.count > Self.pageOriginsMax {
                try await stream.send(try await output(rest.prefix(Self.pageOriginsMax)))
                rest = rest.dropFirst(Self.pageOriginsMax)
            }
            stream.end(try await output(rest, base, isCut: isCut))
        }
    }

    private func output(_ origins: ArraySlice<Origin>, _ base: Base? = nil, isCut: Bool = false) async throws
        -> BlameMethod.Output
    {
        var records: [RecordMessage] = []
        for sequence in Set(origins.map(\.sequence)).sorted() {
            records += try await store.records(from: sequence, through: sequence).map { RecordMessage($0) }
        }
        return BlameMethod.Output(
            origins: origins.map { OriginMessage($0) }, records: records, base: base?.sequence, archive: base?.archive,
            cut: isCut ? true : nil)
    }
}

extension OriginMessage {
    // A value of any type stands in an object, as a change's does.
    fileprivate init(_ origin: Origin) {
        self.init(
            sequence: origin.sequence, path: origin.path.description, old: origin.old.map { ["value": $0] },
            new: origin.new.map { ["value": $0] })
    }
}
