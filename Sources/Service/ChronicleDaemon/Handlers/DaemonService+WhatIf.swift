import Chronicle
import ChronicleLog
import ChronicleStore
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func whatIf(_ input: WhatIfMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let question = WhatIfQuery<App>(
            try edits(input.alterations), at: try input.at?.moment("at") ?? .now, origin: peer.uid,
            recordsOnly: input.only == true, keepsResults: input.keepResults == true)
        answer(reply) { [history, heldAnswers] stream in
            let answer = try await reply.reporting(on: stream) {
                WhatIfMethod.Output(reached: $0)
            } _: { progress in
                try await history.whatIf(question, progress: progress)
            }
            guard reply.more else { return try stream.endWhole(WhatIfMethod.Output(answer, changes: answer.changes)) }
            try await heldAnswers.hold(answer.changes, for: peer.uid) {
                var pages = Pager(answer.changes, bytes: \.approximateBytes)
                var output = WhatIfMethod.Output(answer, changes: pages.next(of: .max))
                output.cut(to: AnswerLimits.bytesMax - AnswerLimits.pageBytesMax)
                while pages.hasMore {
                    try await stream.send(output)
                    output = WhatIfMethod.Output(reached: answer.to)
                    output.changes = pages.next(of: .max)
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
                question, key: input.key, expectedOutcome: outcome, isDryRun: input.dryRun == true)
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

extension WhatIfMethod.Output {
    init<App: DaemonApp>(_ answer: WhatIfResult<App>, changes: [Change]) {
        self.init(reached: answer.to)
        from = answer.from
        to = answer.to
        self.changes = changes
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
        skipped = answer.skippedCount
        vanished = answer.vanishedCount
        cut = answer.isCut
    }

    /// Removes the last elements of the lists that do not fit into one reply.
    fileprivate mutating func cut(to bytesMax: Int) {
        var bytes = 0
        func fitting<Element: Message>(_ list: [Element]?) -> [Element]? {
            list.map { list in
                Array(
                    list.prefix { element in
                        bytes += element.byteCount
                        return bytes <= bytesMax
                    })
            }
        }
        (records, notRun, wouldRun) = (fitting(records), fitting(notRun), fitting(wouldRun))
        if bytes > bytesMax { cut = true }
    }
}
