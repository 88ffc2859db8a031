import ActionCoding
import ActionLogs
import Reducing

extension Store {
    /// Puts another action in the place of one that was logged, here and in what is kept of the past, and waits until it
    /// is on disk.
    ///
    /// No command is asked for, or taken back. Throws `.commandRunning` while one of the record's own commands is open, and
    /// `.overtaken` if there was another one meanwhile.
    public nonisolated func redact(_ redaction: Redaction<App>) async throws(StoreError) {
        _ = try await inLine(alone: true) { $0.judge(redaction) }
    }

    /// Judges a redaction on the state that is on disk; nothing is staged now.
    func judge(_ redaction: Redaction<App>) -> Result<Acknowledgement<App.Command>, StoreError> {
        guard options.access == .readWrite else { return .failure(.readOnly) }
        let (sequence, last) = (redaction.sequence, staged.sequence)
        guard log.redactions.count == redaction.redactions else { return .failure(.overtaken) }
        do throws(StoreError) {
            if let open = try StoreError.reading({ () throws(ActionLogError) in try log.outbox() })
                .first(where: { $0.id.sequence == sequence })
            {
                throw .commandRunning(open.id)
            }
            var state = redaction.state
            try StoreError.reading { () throws(ActionLogError) in
                try App.Action.read(log, from: redaction.through + 1, through: last) { record, action in
                    if let action { _ = App.reduce(&state, action, Context(time: record.time, origin: record.origin)) }
                    return true
                }
                snapshots?.removeAll(from: sequence)
                try log.redact(sequence, payload: redaction.action.canonicalBytes)
            }
            // Once more: one may have been written in between.
            snapshots?.removeAll(from: sequence)
            let changed = App.changedScopes(from: staged.state, to: state)
            staged.state = state
            staged.redactions = log.redactions.count
            staged.note(changed, at: last)
            feed.publish(staged)
            return .success(Acknowledgement(epoch: staged.epoch, sequences: last + 1..<last + 1))
        } catch {
            if case .outcomeUnknown(let what) = error { options.onUnknownOutcome(what) }
            return .failure(error)
        }
    }
}
