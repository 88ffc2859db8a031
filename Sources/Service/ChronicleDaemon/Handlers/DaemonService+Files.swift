import ChronicleLog
import ChronicleStore
import ChronicleValues
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

extension DaemonService {
    func export(_ input: ExportMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        let from = try input.from?.moment("from")
        let to = try input.to?.moment("to")
        answer(reply) { [self] stream in
            // Read before the end of the range, because commands that end in between are not open at the end.
            let rows = try await store.commands().map(\.row)
            let base = input.base == true && from == nil ? try await files.base.current(of: files.log) : nil
            let range = try await self.range(from: from, to: to)
            let first = base.map { $0.base.sequence + 1 } ?? range.lowerBound
            let exporting = Exporting(version: facts.version, store: store, history: history)
            try await exporting.run(from: first, through: range.upperBound - 1, open: rows, base: base) { text in
                try await stream.send(ExportMethod.Output(text: text))
            }
            stream.end(ExportMethod.Output(text: ""))
        }
    }

    func upload(_ input: UploadMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard facts.mode != .inspect else { throw .readOnly }
        files.uploads.add(to: input.upload, of: peer.uid) { () throws(APIError) in
            guard let piece = Base64.bytes(input.base64 ?? "") else { throw .invalidParameter("base64") }
            return Array((input.text ?? "").utf8) + piece
        } done: { [names] result in
            switch result {
            case .success((let number, let bytes)): reply.succeed(UploadMethod.Output(upload: number, bytes: UInt64(bytes)))
            case .failure(let error): reply.fail(names.error(error))
            }
        }
    }

    func `import`(_ input: ImportMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        guard files.shared == nil else { throw .sharedLog }
        let importing = Importing(store: store, history: history)
        answer(reply) { [store, files] stream in
            let file = try await files.uploads.file(input.upload, of: peer.uid)
            // An import blocks other writers, so it must not wait for its client to read.
            let pace = ReportPace()
            let told: @Sendable (UInt64, UInt64) -> Void = { sequence, last in
                if pace.isDue() { stream.offer(ImportMethod.Output(sequence: sequence, last: last, reasons: [])) }
            }
            let verdict = try await files.imports.run { _ in try await importing.check(file.descriptor, progress: told) }
            if input.dryRun != true {
                guard verdict.word == .fine || verdict.word == .risky && input.risky == true else {
                    throw APIError.importRefused(verdict: verdict.word.rawValue, reasons: verdict.reasons)
                }
                try await files.imports.run { _ in try await importing.write(file.descriptor, progress: told) }
                files.uploads.end(input.upload)
            }
            stream.end(
                ImportMethod.Output(
                    sequence: store.present.sequence, last: verdict.last, verdict: verdict.word.rawValue,
                    reasons: verdict.reasons, first: verdict.first,
                    held: input.dryRun == true ? nil : UInt64(store.status.commands.held), base: verdict.base,
                    damaged: verdict.word == .impossible ? verdict.isDamaged : nil))
        }
    }
}
