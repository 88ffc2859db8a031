import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func why(_ input: WhyMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        // 0 is a point, but not a record.
        guard input.sequence > 0 else { throw .invalidParameter("sequence") }
        answer(reply) { [history, files] stream in
            var output = WhyMethod.Output(try await history.why(input.sequence), archive: files.log.base?.archive)
            output.cut()
            stream.end(output)
        }
    }

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
            // If there are fewer than requested, the search reached the beginning of the log.
            let base = wantsAll || origins.count < count ? files.log.base : nil
            let isCut = !wantsAll && input.history == true && origins.count == count
            while true {
                var page = try await page(of: &rest, inPages: reply.more)
                guard rest.isEmpty else {
                    guard reply.more else { throw APIError.answerTooLarge }
                    try await stream.send(page)
                    continue
                }
                // The last page has the fields for all pages.
                (page.base, page.archive, page.cut) = (base?.sequence, base?.archive, isCut ? true : nil)
                return reply.more ? stream.end(page) : try stream.endWhole(page)
            }
        }
    }

    /// The next page of origins with their records, at least one origin.
    private func page(of rest: inout ArraySlice<LastWriter>, inPages: Bool) async throws -> BlameMethod.Output {
        var output = BlameMethod.Output(origins: [], records: [])
        var bytes = 0
        let bytesMax = inPages ? AnswerLimits.pageBytesMax : AnswerLimits.bytesMax
        while let origin = rest.first, !inPages || output.origins.count < AnswerLimits.pageElementsMax {
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
        return output
    }

    func whatIf(_ input: WhatIfMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let question = WhatIfQuery<App>(
            try edits(input.alterations), at: try input.at?.moment("at") ?? .now, origin: peer.uid,
            recordsOnly: input.only == true, keepsResults: input.keepResults == true)
        answer(reply) { [history, unread] stream in
            let answer = try await reply.reporting(on: stream) {
                WhatIfMethod.Output(reached: $0)
            } _: { progress in
                try await history.whatIf(question, progress: progress)
            }
            guard reply.more else { return try stream.endWhole(WhatIfMethod.Output(answer, changes: answer.changes)) }
            try await unread.hold(answer.changes, for: peer.uid) {
                var rest = answer.changes[...]
                let page = rest.takePage(elementsMax: .max, bytes: \.approximateBytes)
                var output = WhatIfMethod.Output(answer, changes: page)
                output.cut(to: AnswerLimits.bytesMax - AnswerLimits.pageBytesMax)
                while !rest.isEmpty {
                    try await stream.send(output)
                    output = WhatIfMethod.Output(reached: answer.to)
                    output.changes = rest.takePage(elementsMax: .max, bytes: \.approximateBytes)
                }
                stream.end(output)
            }
        }
    }

    func applyWhatIf(_ input: ApplyWhatIfMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let question = WhatIfQuery<App>(
            try edits(input.alterations), origin: peer.uid, recordsOnly: input.only == true,
            keepsResults: input.keepResults == true)
        let outcome = try Self.outcome(input.expectedOutcome)
        answer(reply) { [undoer] stream in
            let undone = try await undoer.apply(
                question, UndoCall(origin: peer.uid, key: input.key, expectedOutcome: outcome, isDryRun: input.dryRun == true))
            stream.end(UndoMethod.Output(undone))
        }
    }

    private func edits(_ messages: [AlterationMessage]) throws(APIError) -> [Edit<App.Action>] {
        var edits: [Edit<App.Action>] = []
        for (index, message) in messages.enumerated() { edits.append(try edit(message, index)) }
        return edits
    }

    private func edit(_ message: AlterationMessage, _ index: Int) throws(APIError) -> Edit<App.Action> {
        let action = try message.action.map { value throws(APIError) in try self.action(value, index: index) }
        switch (message.skip, message.edit, message.insert, message.through, action) {
        case (let first?, nil, nil, let last, nil):
            let last = last ?? first
            guard first <= last else { throw .emptyRange(from: first, to: last) }
            return .skip(first...last)
        case (nil, let sequence?, nil, nil, let action?): return .edit(sequence, action)
        case (nil, nil, let sequence?, nil, let action?): return .insert(after: sequence, action)
        default: throw .invalidParameter("alterations[\(index)]")
        }
    }
}

extension WhyMethod.Output {
    fileprivate init(_ explanation: Explanation<some DaemonApp>, archive: String?) {
        let roots = Set(explanation.roots)
        let isArchived = explanation.records.contains { roots.contains($0.header.sequence) && $0.header.cause != nil }
        self.init(
            sequence: explanation.sequence, roots: explanation.roots, records: explanation.records.map { RecordMessage($0) },
            fates: explanation.fates.map { CommandFateMessage($0, $1) }, cut: explanation.isCut,
            archive: isArchived ? archive : nil)
    }

    /// Omits the last records if they exceed one answer, but never the first.
    fileprivate mutating func cut() {
        var left = AnswerLimits.bytesMax
        let fitting = records.fitting(&left, bytes: \.byteCount)
        guard fitting.count < records.count else { return }
        (cut, records) = (true, fitting)
        let last = records.last?.sequence ?? 0
        fates.removeAll { $0.id.sequence > last }
        roots.removeAll { $0 > last }
    }
}

extension CommandFateMessage {
    fileprivate init<App: DaemonApp>(_ id: ChronicleLog.CommandID, _ fate: Explanation<App>.Fate) {
        let id = TodoAPI.CommandID(id)
        switch fate {
        case .presentational: self.init(id: id, fate: "shown")
        case .ended: self.init(id: id, fate: "ended")
        case .without: self.init(id: id, fate: "none")
        case .open(let row):
            self.init(
                id: id, fate: "open", stage: row.stage.name, attempts: row.attempts,
                reason: row.reason.isEmpty ? nil : row.reason, held: row.isHeld)
        }
    }
}

extension OriginMessage {
    // A value of any type is wrapped in an object, as in a change.
    fileprivate init(_ origin: LastWriter) {
        self.init(
            sequence: origin.sequence, path: origin.path.description, old: origin.old.map { ["value": $0] },
            new: origin.new.map { ["value": $0] })
    }
}

extension WhatIfMethod.Output {
    init<App: DaemonApp>(_ answer: WhatIfResult<App>, changes: [Change]) {
        self.init(reached: answer.to)
        (from, to, self.changes) = (answer.from, answer.to, changes)
        records = answer.events.map {
            AlteredRecordMessage(
                sequence: $0.place.sequence, insertion: $0.place.insertion, kind: $0.kind.rawValue,
                actions: $0.actions.map(\.value))
        }
        notRun = answer.notRun.map {
            MissingCommandMessage(
                command: CommandMessage($0.id, $0.call, of: App.self), reason: $0.reason.rawValue, outcome: $0.outcome?.name)
        }
        wouldRun = answer.wouldRun.map {
            var command = CommandMessage($0.id, $0.call, of: App.self)
            command.id = nil
            return AskedCommandMessage(
                sequence: $0.place.sequence, insertion: $0.place.insertion, index: $0.index, command: command,
                reason: $0.reason.rawValue)
        }
        (skipped, vanished, cut) = (answer.skippedCount, answer.vanishedCount, answer.isCut)
    }

    fileprivate mutating func cut(to bytesMax: Int) {
        var left = bytesMax
        func fitting<Element: Message>(_ list: [Element]?) -> [Element]? {
            let first = list?.fitting(&left, min: 0, bytes: \.byteCount)
            if let first, let list, first.count < list.count { (cut, left) = (true, 0) }
            return first
        }
        records = fitting(records)
        notRun = fitting(notRun)
        wouldRun = fitting(wouldRun)
    }
}
