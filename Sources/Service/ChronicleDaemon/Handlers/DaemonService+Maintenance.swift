import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import Expressions
import TimeTravel
import TodoAPI
import VarlinkNIO

#if Cluster
    import ReplicatedLog
#endif

extension DaemonService {
    func head(_ input: HeadMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [history] stream in
            let head = try await history.anchoredHead()
            stream.end(
                HeadMethod.Output(
                    sequence: head.sequence, chain: Hexadecimal.text(head.chain), digest: Hexadecimal.text(head.digest),
                    head: "\(head)"))
        }
    }

    func verify(_ input: VerifyMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let anchor = input.head.map { HeadCheckpoint($0) }
        if case .some(nil) = anchor { throw .invalidParameter("head") }
        answer(reply) { [history, facts] stream in
            let last = history.head
            let verification = try await reply.reporting(on: stream) {
                VerifyMethod.Output(reached: $0, last: last)
            } _: { progress in
                try await history.verify(from: anchor ?? nil, opened: facts.damage) { reached, _ in progress(reached) }
            }
            stream.end(
                VerifyMethod.Output(
                    reached: verification.base + verification.records, last: verification.head,
                    snapshots: UInt64(verification.snapshots), keys: UInt64(verification.keys),
                    commands: UInt64(verification.commands), bookmarks: UInt64(verification.bookmarks),
                    damages: verification.damages.sorted { $0.sequence < $1.sequence }.map {
                        DamageMessage(kind: $0.kind.rawValue, sequence: $0.sequence, what: $0.what)
                    }))
        }
    }

    func redact(_ input: RedactMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard facts.mode != .inspect else { throw .readOnly }
        guard input.sequence > 0 else { throw .invalidParameter("sequence") }
        answer(reply) { [self] stream in
            let outcome = try await redaction(of: [input.sequence], .all, isDryRun: input.dryRun == true)
            guard let (sequence, action) = outcome.actions.first else { throw APIError.nothingToRedact(sequence: input.sequence) }
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

    /// Other records with one of the redacted texts; none for a search text, whose records the caller has found.
    private func copies(of gone: [String], _ texts: RedactedTexts, besides touched: [UInt64]) async throws -> [UInt64] {
        switch texts {
        case .all, .row: try await history.records(holding: gone, besides: Set(touched))
        case .those: []
        }
    }

    /// Redacts texts, or reports what would be redacted.
    /// - Returns: the changed records with their new content, and other records with the same texts.
    private func redaction(
        of sequences: [UInt64], _ texts: RedactedTexts, isDryRun: Bool
    ) async throws -> (actions: [(sequence: UInt64, action: App.Action)], copies: [UInt64]) {
        let rewritten = { @Sendable (action: App.Action) in App.redacted(action, texts) }
        // This reads the whole log. Concurrent records are replayed later.
        let gone = try await history.texts(goneFrom: sequences, rewritten)
        let touched = gone.actions.map(\.sequence)
        let copies = try await copies(of: gone.texts, texts, besides: touched)
        if isDryRun, let first = touched.min(), let shared = files.shared {
            do throws(ActionLogError) { try await shared.checkRedaction(of: first) } catch { throw StoreError(error) }
        }
        guard !isDryRun, !touched.isEmpty else { return (gone.actions, copies) }
        let redaction = try await history.repeated { _ async throws(StoreError) in
            let redaction = try await history.redaction(of: touched, rewritten)
            if let redaction { try await store.redact(redaction) }
            return redaction
        }
        // Another call may have redacted them concurrently.
        guard let redaction else { return ([], []) }
        history.forget()
        return (redaction.actions, copies)
    }

    func compact(_ input: CompactMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard facts.mode != .inspect else { throw .readOnly }
        let before = try input.before.moment("before")
        guard input.forgetKeysDays ?? 0 <= CompactMethod.forgetKeysDaysMax else { throw .invalidParameter("forgetKeysDays") }
        guard files.shared == nil || input.forgetKeysDays == nil else {
            throw .unreadable(
                message:
                    "Several machines share this log, so keys can't be forgotten: a machine that has them would refuse what the others accept."
            )
        }
        guard let log = files.diskLog else {
            throw .unreadable(message: "This daemon keeps nothing on disk, so there is nothing to compact.")
        }
        let compacting = Compacting(
            log: log, shared: files.shared, directory: files.directory, history: history,
            exporting: Exporting(version: facts.version, store: store, history: history), work: files.work,
            forgetKeysDays: input.forgetKeysDays)
        answer(reply) { stream in
            stream.end(
                input.dryRun == true ? try await compacting.dryRun(before: before) : try await compacting.run(before: before))
        }
    }

    func backup(_ input: BackupMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard input.directory.hasPrefix("/") else { throw .invalidParameter("directory") }
        guard let log = files.diskLog else {
            throw .unreadable(message: "This daemon keeps nothing on disk, so there is nothing to copy; use todoctl export.")
        }
        answer(reply) { [files] stream in
            do {
                let head = try await files.work.run { () throws(ActionLogError) in try log.backUp(to: input.directory) }
                stream.end(BackupMethod.Output(epoch: head.epoch, sequence: head.sequence))
            } catch let error as ActionLogError {
                switch error {
                case .storageFull(_, let message): throw APIError.storageFull(message: message)
                case .notPermitted(let what):
                    throw APIError.backupRefused(
                        message:
                            "\(what). Name a directory that is empty or does not exist, in one that the daemon's user can write to."
                    )
                default: throw APIError.unreadable(message: "The backup failed: \(error).")
                }
            }
        }
    }
}
