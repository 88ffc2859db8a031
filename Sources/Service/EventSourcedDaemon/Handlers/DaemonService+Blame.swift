import Expressions
import Records
import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func blame(_ input: BlameMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let path = try Path(sent: input.path, of: App.shape)
        let moment = try input.at?.moment("at") ?? .now
        let (wantsAll, count) = (input.all == true, input.history == true ? HistoryLimits.answersMax : 1)
        answer(reply) { [self, history] stream in
            let origins = try await reply.reporting(on: stream) {
                BlameMethod.Output(reached: $0, origins: [], records: [])
            } _: { progress in
                try await wantsAll
                    ? history.origins(below: path, at: moment, progress: progress)
                    : history.origins(of: path, at: moment, max: count, progress: progress)
            }
            var rest = origins[...]
            // Fewer than were asked for: the search came to the beginning of the log.
            let base = wantsAll || origins.count < count ? files.log.base : nil
            let isCut = !wantsAll && input.history == true && origins.count == count
            guard reply.more else {
                let whole = try await page(of: &rest, bytesMax: AnswerLimits.bytesMax, base, isCut: isCut)
                guard rest.isEmpty else { throw APIError.answerTooLarge }
                return try stream.endWhole(whole)
            }
            while true {
                let page = try await page(of: &rest, bytesMax: AnswerLimits.pageBytesMax, base, isCut: isCut)
                if rest.isEmpty { return stream.end(page) }
                try await stream.send(page)
            }
        }
    }

    /// The next origins and their records that fit one reply, one at least if there is any; with the last ones what is told of all.
    private func page(
        of rest: inout ArraySlice<Origin>, bytesMax: Int, _ base: Base?, isCut: Bool
    ) async throws -> BlameMethod.Output {
        var output = BlameMethod.Output(origins: [], records: [])
        var bytes = 0
        while let origin = rest.first, output.origins.count < Pager<Origin>.elementsMax || bytesMax > AnswerLimits.pageBytesMax {
            let message = OriginMessage(origin)
            let isKnown = output.records.contains { $0.sequence == origin.sequence }
            let records = isKnown ? [] : try await store.records(from: origin.sequence, through: origin.sequence)
            let record = records.map { RecordMessage($0) }
            bytes += message.byteCount + record.reduce(0) { $0 + $1.byteCount }
            if bytes > bytesMax, !output.origins.isEmpty { break }
            output.origins.append(message)
            output.records += record
            rest.removeFirst()
        }
        output.records.sort { $0.sequence < $1.sequence }
        guard rest.isEmpty else { return output }
        (output.base, output.archive) = (base?.sequence, base?.archive)
        output.cut = isCut ? true : nil
        return output
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
