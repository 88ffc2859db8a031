import AppFeature
import StoreRuntime
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

extension TodoService {
    /// The methods that read files or write them.
    func file(_ call: Call, by uid: UInt32, _ reply: ReplyHandle) throws(APIError) {
        switch call.method {
        case UploadMethod.name: try upload(.init(input: call.parameters), by: uid, reply)
        default: try importUpload(.init(input: call.parameters), by: uid, reply)
        }
    }

    func export(_ input: ExportMethod.Input, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        try input.from?.check("from")
        try input.to?.check("to")
        answer(reply) { [self] stream in
            // Asked before the end is: what has ended meanwhile is not open at the end, either.
            let rows = try await store.commands().map(\.row)
            let first = try await first(of: input.from) ?? timeline.base.sequence + 1
            let last = try await last(of: input.to)
            let exporting = Exporting(store: store, log: files.log, timeline: timeline)
            try await exporting.run(from: first, through: last, open: rows) { text in
                try await stream.send(ExportMethod.Output(text: text))
            }
            stream.end(ExportMethod.Output(text: ""))
        }
    }

    private func upload(_ input: UploadMethod.Input, by uid: UInt32, _ reply: ReplyHandle) throws(APIError) {
        guard facts.mode != .inspect else { throw .readOnly }
        files.uploads.line.add { [files] in
            do throws(APIError) {
                guard let piece = Base64.bytes(input.base64 ?? "") else { throw .invalidParameter("base64") }
                let (number, bytes) = try files.uploads.add(Array((input.text ?? "").utf8) + piece, to: input.upload, of: uid)
                reply.succeed(UploadMethod.Output(upload: number, bytes: UInt64(bytes)))
            } catch {
                reply.fail(error)
            }
        }
    }

    private func importUpload(_ input: ImportMethod.Input, by uid: UInt32, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        let importing = Importing(store: store, log: files.log)
        answer(reply) { [store, files] stream in
            let file = try await files.uploads.line.run { () throws(APIError) in try files.uploads.file(input.upload, of: uid) }
            // Nobody else writes during an import, so it must not wait for its client to read.
            let pace = ReportPace()
            let told: (UInt64, UInt64) -> Void = { sequence, last in
                if pace.isDue() { stream.offer(ImportMethod.Output(sequence: sequence, last: last)) }
            }
            let verdict = try await importing.check(file.spool.descriptor, progress: told)
            if input.dryRun != true {
                guard verdict.word == .fine || verdict.word == .risky && input.risky == true else {
                    throw APIError.importRefused(verdict: verdict.word.rawValue, reasons: verdict.reasons)
                }
                try await importing.write(file.spool.descriptor, progress: told)
                files.uploads.end(input.upload)
            }
            stream.end(
                ImportMethod.Output(
                    sequence: store.present.sequence, last: verdict.last, verdict: verdict.word.rawValue,
                    reasons: verdict.reasons, first: verdict.first,
                    held: input.dryRun == true ? nil : UInt64(store.status.outboxHeld)))
        }
    }
}
