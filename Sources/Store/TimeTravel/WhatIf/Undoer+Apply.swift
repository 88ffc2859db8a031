public import Chronicle
import ChronicleLog
public import ChronicleStore

extension Undoer {
    /// Changes the present to the result of an altered history, as one step.
    ///
    /// Open commands that the altered history would not have run are cancelled; external effects that have already happened are reported.
    /// Events can't be inserted or edited.
    /// - Parameters:
    ///   - question: its end is ignored; it is always the present.
    ///   - expectedOutcome: the outcome of a dry run.
    ///   - isDryRun: whether to commit nothing.
    /// - Throws: the errors of `History.whatIf`; `factNotAllowed` for an event.
    public func apply(
        _ question: WhatIfQuery<App>, key: String? = nil, expectedOutcome: UInt64? = nil, isDryRun: Bool = false
    ) async throws(StoreError) -> Undone<App.Command> {
        for (index, edit) in question.edits.enumerated() {
            switch edit {
            case .edit(_, let action), .insert(_, let action):
                guard App.kind(of: action) != .event else { throw .factNotAllowed(action: index) }
            case .skip: break
            }
        }
        var question = question
        question.at = .now
        let asked = question
        let call = UndoCall(
            origin: question.origin, key: key, digest: Self.digest(of: question), expectedOutcome: expectedOutcome,
            isDryRun: isDryRun)
        // Not serialized, because a long fold would delay the undos of others.
        return try await repeated(call) { redactions async throws(StoreError) in
            let result = try await history.whatIf(asked)
            // An incomplete result can't be applied.
            guard !result.isCut else { throw .answerTooLarge }
            let present = try await history.state(at: .sequence(result.to)).state
            let reversion = try await history.reversion(from: present, to: result.state)
            let open = try await store.commands().filter { command in result.notRun.contains { $0.id == command.id } }
            let tried = Set(open.lazy.filter { $0.row.attempts > 0 }.map(\.id))
            let effects = result.notRun.compactMap { missing -> Undone<App.Command>.Effect? in
                guard let command = RequestDiff<App>.command(of: missing.call), command.leavesTrace else { return nil }
                guard missing.outcome == .result || tried.contains(missing.id) else { return nil }
                return .init(id: missing.id, command: command, isCertain: missing.outcome == .result)
            }
            return try await commit(
                reversion, call, cancelling: .these(open.map(\.id)), redactions: redactions, effects: effects)
        }
    }

    /// Identifies the request of a key.
    private static func digest(of question: WhatIfQuery<App>) -> UInt64 {
        var writer = CanonicalWriter()
        for edit in question.edits {
            writer.message(1) { writer in
                switch edit {
                case .skip(let range):
                    writer.field(1, range.lowerBound)
                    writer.field(2, range.upperBound)
                case .edit(let sequence, let action):
                    writer.field(3, sequence)
                    action.encode(into: &writer)
                case .insert(let sequence, let action):
                    writer.element(4, sequence)
                    action.encode(into: &writer)
                }
            }
        }
        writer.field(2, question.recordsOnly)
        writer.field(3, question.keepsResults)
        return Checksum.of(writer.bytes.span.bytes)
    }
}
