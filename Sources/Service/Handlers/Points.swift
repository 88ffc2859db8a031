import ActionLogs
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension TodoAPI.Point {
    /// The same moment for the timeline.
    ///
    /// - Throws: `invalidParameter` with the name of the field unless exactly one of the first four is set.
    func moment(_ field: String) throws(APIError) -> TimeTravel.Point {
        guard let before else { return try whole(field) }
        return .before(try whole(field), before)
    }

    private func whole(_ field: String) throws(APIError) -> TimeTravel.Point {
        switch (sequence, back, time, bookmark) {
        case (let sequence?, nil, nil, nil): return .sequence(sequence)
        case (nil, let count?, nil, nil): return .back(count)
        case (nil, nil, let time?, nil): return .time(time)
        case (nil, nil, nil, "start"?): return .start
        case (nil, nil, nil, "now"?): return .now
        case (nil, nil, nil, let name?): return .bookmark(name)
        default: throw .invalidParameter(field)
        }
    }

    /// Exactly one of the first four is set.
    func check(_ field: String) throws(APIError) { _ = try moment(field) }
}

extension APIError {
    /// What an error about the past means for whoever asked.
    ///
    /// - Parameters:
    ///   - range: the first and the last moment that can be asked for.
    ///   - base: what a compacted log begins with, which names the archive of what was before.
    init(_ error: TravelError, in range: ClosedRange<UInt64>, after base: Base?) {
        self =
            switch error {
            case .future: .futureSequence(first: range.lowerBound, last: range.upperBound)
            case .pruned(let told):
                // The log may have been compacted again since: then its archive is not the one that was asked for.
                .prunedSequence(
                    first: max(range.lowerBound, told), last: max(range.upperBound, told),
                    archive: base?.sequence == told ? base?.archive : nil)
            case .unknownBookmark(let name): .unknownBookmark(bookmark: name)
            case .badBookmark(let message): .badBookmark(message: message, bookmark: "")
            case .emptyRange(let from, let to): .emptyRange(from: from, to: to)
            case .alteration(let index, let message): .badAlteration(message: message, alteration: index)
            case .refused(let index, let refusal): .refused(refusal, action: index)
            case .tooLarge: .answerTooLarge
            case .tooManySteps: .badExpression(message: error.description, column: 1)
            case .damaged(let sequence, _), .undecodable(let sequence, _): .damagedRecord(sequence: sequence)
            case .busy: .queryBusy
            case .cancelled: .stopping
            case .overtaken: .overtaken
            case .unreadable(let message): .unreadable(message: message)
            }
    }
}

extension Timeline {
    /// The first and the last moment that can be asked for.
    var range: ClosedRange<UInt64> {
        let base = base.sequence
        return base...max(base, head)
    }
}

extension DaemonService {
    /// Answers from a task that looks at the past.
    func answer(_ reply: ReplyHandle, _ body: @escaping @Sendable (ReplyStream) async throws -> Void) {
        reply.answer { [timeline, files] stream in
            do {
                try await body(stream)
            } catch let error as TravelError {
                throw APIError(error, in: timeline.range, after: files.log.base)
            } catch let error as UndoError {
                throw APIError(error, in: timeline.range, after: files.log.base)
            }
        }
    }

    /// The first sequence that a point, as the beginning of a range, includes; `nil` for no point.
    func first(of point: TodoAPI.Point?) async throws -> UInt64? {
        guard let moment = try point?.moment("from") else { return nil }
        switch moment {
        case .time(let time): return max(timeline.base.sequence + 1, try await store.sequence(atOrAfter: time))
        // What comes next can be asked for before it is there.
        case .sequence(let sequence) where sequence == timeline.head + 1: return sequence
        default: return max(timeline.base.sequence + 1, try await timeline.resolve(moment))
        }
    }

    /// The last sequence that a point, as the end of a range, includes; without one the newest record.
    func last(of point: TodoAPI.Point?) async throws -> UInt64 {
        guard let moment = try point?.moment("to") else { return store.present.sequence }
        if case .time(let time) = moment { return try await store.sequence(atOrBefore: time) }
        return try await timeline.resolve(moment)
    }
}
