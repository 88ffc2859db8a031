import Expressions
import Records
import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

#if Cluster
    import ReplicatedLog
#endif

extension DaemonService {
    func redact(_ input: RedactMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard facts.mode != .inspect else { throw .readOnly }
        guard input.sequence > 0 else { throw .invalidParameter("sequence") }
        answer(reply) { [self] stream in
            let outcome = try await redaction(of: [input.sequence], .all, isDryRun: input.dryRun == true)
            guard let (sequence, action) = outcome.actions.first else {
                throw APIError.nothingToRedact(sequence: input.sequence)
            }
            stream.end(
                RedactMethod.Output(
                    epoch: store.present.epoch, sequence: sequence, copies: outcome.copies,
                    archive: files.log.base?.archive, action: action.value, base: files.log.base?.sequence))
        }
    }

    func redactTexts(_ input: RedactTextsMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard facts.mode != .inspect else { throw .readOnly }
        let sequences = Set(input.sequences)
        guard (1...RedactTextsMethod.sequencesMax).contains(input.sequences.count), !sequences.contains(0) else {
            throw .invalidParameter("sequences")
        }
        let texts = try redactedTexts(input)
        answer(reply) { [self] stream in
            let outcome = try await redaction(of: sequences.sorted(), texts, isDryRun: input.dryRun == true)
            stream.end(
                RedactTextsMethod.Output(
                    epoch: store.present.epoch, sequences: outcome.actions.map(\.sequence), copies: outcome.copies,
                    archive: files.log.base?.archive, base: files.log.base?.sequence))
        }
    }

    private func redactedTexts(_ input: RedactTextsMethod.Input) throws(APIError) -> RedactedTexts {
        guard let text = input.text else {
            guard let feature = input.feature else { throw .invalidParameter("feature") }
            guard let id = input.id else { throw .invalidParameter("id") }
            return .row(feature: feature, id: id)
        }
        guard input.feature == nil, input.id == nil else { throw .invalidParameter("id") }
        guard (1...LogMethod.searchBytesMax).contains(text.utf8.count) else { throw .invalidParameter("text") }
        let search = SubstringSearch(text)
        return .those { search.matches($0.utf8Span.span.bytes) }
    }

    /// The records with one of some texts that are to go; none where whoever asks has looked for them all.
    private func copies(of gone: [String], _ texts: RedactedTexts, besides touched: [UInt64]) async throws -> [UInt64] {
        switch texts {
        case .all, .row: try await history.records(holding: gone, besides: Set(touched))
        case .those: []
        }
    }

    /// Takes texts out of records, or says what would be taken out.
    ///
    /// - Returns: what the records that hold less now, or would, hold instead, and others with the same texts.
    private func redaction(
        of sequences: [UInt64], _ texts: RedactedTexts, isDryRun: Bool
    ) async throws -> (actions: [(sequence: UInt64, action: App.Action)], copies: [UInt64]) {
        let rewritten = { @Sendable (action: App.Action) in App.redacted(action, texts) }
        // This takes as long as the log is long, and what comes meanwhile is still to be folded.
        let gone = try await history.texts(goneFrom: sequences, rewritten)
        let touched = gone.actions.map(\.sequence)
        let copies = try await copies(of: gone.texts, texts, besides: touched)
        if isDryRun, let first = touched.min(), let shared = files.shared {
            do throws(ActionLogError) { try await shared.checkRedaction(of: first) } catch { throw StoreError(error) }
        }
        guard !isDryRun, !touched.isEmpty else { return (gone.actions, copies) }
        for _ in 0..<HistoryLimits.undoAttemptsMax {
            // Somebody else may have taken them out meanwhile.
            guard let redaction = try await history.redaction(of: touched, rewritten) else { return ([], []) }
            do throws(StoreError) { try await store.redact(redaction) } catch {
                guard error == .overtaken else { throw error }
                continue
            }
            history.forget()
            return (redaction.actions, copies)
        }
        throw StoreError.busy
    }
}
