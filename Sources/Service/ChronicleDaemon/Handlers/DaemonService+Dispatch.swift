import Chronicle
import ChronicleStore
import Expressions
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func dispatch(_ input: DispatchMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        let dispatch: Dispatch<App.Action>
        do {
            dispatch = try read(input, from: peer)
        } catch {
            return refuse(reply, error, from: peer)
        }
        self.dispatch(dispatch, from: peer, reply)
    }

    func dispatch(_ dispatch: Dispatch<App.Action>, from peer: Peer, _ reply: ReplyHandle) {
        // The store answers each call, so this is no reference cycle.
        store.enqueue(dispatch) { [self] result in
            switch result {
            case .success(let answer) where answer.isWhole: reply.succeed { DispatchMethod.Output(answer).write(into: &$0) }
            case .success(let answer): complete(answer, to: peer, reply)
            case .failure(let error): refuse(reply, APIError(error, in: history.range), from: peer)
            }
        }
    }

    private func complete(_ answer: DispatchResult<App.Command>, to peer: Peer, _ reply: ReplyHandle) {
        self.answer(reply) { [store] stream in
            do throws(StoreError) {
                let output = DispatchMethod.Output(try await store.complete(answer))
                // Only a dry run returns commands. A real dispatch is done, even if its answer is too large.
                if output.commands != nil, output.byteCount > AnswerLimits.bytesMax { throw .answerTooLarge }
                stream.end(output)
            } catch {
                let error = error == .answerTooLarge ? .dryRunTooLarge : APIError(error)
                self.note(error, from: peer)
                throw error
            }
        }
    }

    private func read(_ input: DispatchMethod.Input, from peer: Peer) throws(APIError) -> Dispatch<App.Action> {
        var actions: [App.Action] = []
        actions.reserveCapacity(input.actions.count)
        var byteCount = 0
        for (index, value) in input.actions.enumerated() {
            actions.append(try action(value, index: index))
            byteCount += value.approximateBytes
        }
        return Dispatch(
            actions, origin: peer.uid, key: input.key, step: input.step, expectedSequence: input.expectedSequence,
            scope: try scopes.index(of: input.scope), epoch: input.epoch,
            requirement: try input.require.map { text throws(APIError) in
                try Expression(sent: text, of: App.shape, on: .value)
            },
            purpose: input.dryRun == true ? .dryRun : .log,
            byteCount: byteCount, isOfOwner: !administers(peer))
    }

    func action(_ value: Value, index: Int) throws(APIError) -> App.Action {
        do { return try App.Action(value) } catch { throw self.error(error, value, action: index) }
    }

    private func error(_ mismatch: ValueMismatch, _ value: Value, action: Int) -> APIError {
        // Every feature is a scope, so a name that is not a scope is not a feature.
        if case .record(let fields) = value, fields.count == 1, let name = fields.first?.name, scopes.areOfFeatures,
            !scopes.contains(name)
        {
            return .unknownFeature(name.asName, known: scopes.features)
        }
        var mismatch = mismatch
        if let question = App.actionShape.question(aboutLastOf: mismatch.path) { mismatch.message += "; \(question)" }
        return .badAction(mismatch, action: action)
    }

    func open(_ input: OpenMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let opened: App.Action?
        do throws(Refusal) { opened = try App.action(opening: input.link) } catch { throw .refused(error, action: 0) }
        guard let action = opened else { throw .noLinks }
        let bytes = input.link.utf8.count
        dispatch(
            Dispatch([action], origin: peer.uid, key: input.key, byteCount: bytes, isOfOwner: !administers(peer)), from: peer,
            reply)
    }
}

extension Shape {
    fileprivate func question(aboutLastOf path: String) -> String? {
        let names = path.split(separator: ".").map(String.init)
        guard let last = names.last, !last.hasSuffix("]") else { return nil }
        var shape = self
        for name in names.dropLast() {
            // `items[0]`: all elements of a list have the same shape.
            let isElement = name.hasSuffix("]")
            guard var part = shape[isElement ? String(name.prefix { $0 != "[" }) : name] else { return nil }
            if isElement, case .list(let element) = part { part = element }
            shape = part
        }
        guard case .record(let fields) = shape, shape[shape.currentName(of: last)] == nil else { return nil }
        return Spelling.question(about: last, among: fields.map(\.name))
    }
}

struct ScopeNames: Sendable {
    /// The names of features; empty for an app without features.
    let features: [String]
    private let names: [String]
    private let indices: [String: Int]

    init(_ names: [String]) {
        self.names = names
        let outermost = names.filter { !$0.contains(".") }
        features = outermost.count < names.count ? outermost : []
        indices = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    }

    var areOfFeatures: Bool { !features.isEmpty }

    func contains(_ name: String) -> Bool { indices[name.asName] != nil }

    func index(of scope: String?) throws(APIError) -> Int? {
        guard let scope = scope?.asName else { return nil }
        guard let index = indices[scope] else { throw .unknownScope(scope, known: names) }
        return index
    }
}

extension String {
    /// Cut at 256 bytes, more than any name has: the time of a comparison grows with the square of a run of combining marks.
    var asName: String { prefix(bytesMax: 256) }
}

extension DispatchMethod.Output {
    // Inlined where the command type is known; otherwise each answer would look up its metadata.
    @inline(__always)
    init(_ answer: DispatchResult<some NamedCommand>) {
        self.init(
            epoch: answer.epoch, sequences: Array(answer.sequences), ids: answer.ids, duplicate: answer.isDuplicate,
            presentations: CommandMessage.list(answer.presentations).map { $0.presentation }, changes: answer.changes,
            commands: answer.commands.map { CommandMessage.list($0) }, existing: answer.existing.isEmpty ? nil : answer.existing,
            commandsHeld: answer.areCommandsHeld ? true : nil)
    }
}
