import Glibc
import Reducing
import TodoAPI
import TodoClient
import Varlink

/// Adds a todo for each line of standard input, as one step, in the order of the lines.
///
/// They are sent in batches, each of which continues the step of the first and waits for the one before: what is on its way could not stand behind
/// a batch that is sent again. A line that a rule refuses is named on standard error and left out; the others of its batch are sent again without it.
final class Importer {
    private struct Batch {
        var drafts: [(line: Int, title: String)]
        var key = DispatchKey.make()
    }

    private static let batchLinesMax = 1000
    private static let batchBytesMax = 262_144
    private static let refusalsMax = 100

    let session: Session
    let draft: TodoDraft
    private var input: Lines
    private var lastLine = 0
    private var step: UInt64?
    private var isExhausted = false
    private var added = 0
    private var refused = 0
    private var progress = Progress()

    init(session: Session, draft: TodoDraft, input: Int32 = 0) {
        self.session = session
        self.input = Lines(descriptor: input)
        self.draft = draft
    }

    /// Reads to the end of the input.
    ///
    /// When nobody reads what is said on standard output, no more of the input is sent.
    func run() throws(Failure) {
        session.output.endsWithReader = false
        defer { progress.clear() }
        do throws(Failure) {
            try session.client.exchange(
                window: 1, next: { () throws(Failure) in try next() },
                take: { outcome, batch throws(Failure) in try take(outcome, batch) })
        } catch {
            progress.clear()
            if added > 0 { Output.complain("\(Digits.counted(added, "todo was", "todos were")) added before this:") }
            throw error
        }
        progress.clear()
        if !session.isJSON { session.show(["Added \(Digits.counted(added, "todo"))."] + session.undoHint(step)) }
        session.output.flush()
        if let number = session.output.loss { throw unread(number) }
        guard refused == 0 else {
            throw Failure(
                .refused, "\(Digits.counted(refused, "line was", "lines were")) refused and left out.")
        }
    }

    private func unread(_ number: Int32) -> Failure {
        let reach = isExhausted ? "" : " Nothing behind line \(Digits.grouped(lastLine)) was sent: add the rest again."
        return Failure(
            .inputOutput,
            "\(Digits.counted(added, "todo was", "todos were")) added, but not all that was to be said of them could "
                + "be written (standard output: \(String(cString: strerror(number)))).\(reach)")
    }

    private func next() throws(Failure) -> PendingCall<Batch>? {
        guard session.output.loss == nil else { return nil }
        var batch = Batch(drafts: [])
        var bytes = 0
        while batch.drafts.count < Importer.batchLinesMax, bytes < Importer.batchBytesMax, let line = try input.next() {
            guard let text = line.text else {
                try refuse(line.number, "this is not UTF-8")
                continue
            }
            guard text.contains(where: { !$0.isWhitespace }) else { continue }
            batch.drafts.append((line.number, text))
            bytes += text.utf8.count + 64
        }
        if let last = batch.drafts.last?.line { lastLine = last }
        isExhausted = input.isExhausted
        guard !batch.drafts.isEmpty else { return nil }
        return call(batch)
    }

    private func take(_ outcome: Result<[Value.Field], Failure>, _ batch: Batch) throws(Failure) -> PendingCall<Batch>? {
        var batch = batch
        switch outcome {
        case .success(let parameters):
            if step == nil { step = Self.step(begunBy: parameters) }
            added += batch.drafts.count
            progress.show(added)
            if session.isJSON {
                session.output.json(parameters)
                session.output.flush()
            }
            return nil
        case .failure(let failure):
            guard let index = failure.refusal?.action, batch.drafts.indices.contains(index) else {
                throw failure
            }
            let line = batch.drafts.remove(at: index)
            try refuse(line.line, "\(failure.message) (\(Visible.text(line.title)))")
            guard !batch.drafts.isEmpty else { return nil }
            batch.key = DispatchKey.make()
            return call(batch)
        }
    }

    private func refuse(_ line: Int, _ reason: String) throws(Failure) {
        refused += 1
        progress.clear()
        Output.complain("line \(line): \(reason)")
        guard refused < Importer.refusalsMax else {
            throw Failure(.refused, "\(Digits.counted(refused, "line was", "lines were")) refused; giving up at line \(line).")
        }
    }

    private func call(_ batch: Batch) -> PendingCall<Batch> {
        let actions = batch.drafts.map { line in
            var draft = draft
            draft.title = line.title
            return TodoAction.add(draft)
        }
        return PendingCall(frame: DispatchMethod.frame(.init(actions: actions, key: batch.key, step: step)), subject: batch)
    }

    /// The first record of a batch begins its step.
    private static func step(begunBy answer: [Value.Field]) -> UInt64? {
        answer.first { $0.name.hasSameBytes(as: "sequences") }?.value.list?.first?.int.map { UInt64(clamping: $0) }
    }
}
