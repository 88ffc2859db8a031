import Glibc
import Reducing
import TodoAPI
import Varlink

/// Adds a todo for each line of standard input, in batches that are on their way while the next is read.
///
/// A line that a rule refuses is named on standard error and left out; the others of its batch are sent again without it.
struct Importer {
    private struct Batch {
        var drafts: [(line: Int, title: String)]
        var key = DispatchKey.make()
    }

    private static let batchLinesMax = 1000
    private static let batchBytesMax = 262_144
    private static let windowMax = 8
    private static let refusalsMax = 100

    let session: Session
    let draft: TodoAction.Draft
    private var input = Lines()
    private var batches: [Batch] = []
    private var added = 0
    private var refused = 0
    private var progress = Progress()

    init(session: Session, draft: TodoAction.Draft) {
        self.session = session
        self.draft = draft
    }

    /// Reads to the end of the input.
    mutating func run() throws(Failure) {
        defer { progress.clear() }
        // Two closures can't both hold this value; the importer's state is moved into one that they share.
        let shared = Shared(self)
        do throws(Failure) {
            try session.client.exchange(
                window: Importer.windowMax, next: { () throws(Failure) in try shared.importer.next() },
                take: { outcome throws(Failure) in try shared.importer.take(outcome) })
        } catch {
            self = shared.importer
            progress.clear()
            if added > 0 { Output.complain("\(Digits.grouped(added)) todos were added before this:") }
            throw error
        }
        self = shared.importer
        progress.clear()
        if !session.isJSON { session.output.line("Added \(Digits.grouped(added)) \(added == 1 ? "todo" : "todos").") }
        guard refused == 0 else {
            throw Failure(
                .refused, "\(Digits.grouped(refused)) \(refused == 1 ? "line was" : "lines were") refused and left out.")
        }
    }

    private mutating func next() throws(Failure) -> [UInt8]? {
        var batch = Batch(drafts: [])
        var bytes = 0
        while batch.drafts.count < Importer.batchLinesMax, bytes < Importer.batchBytesMax, let line = try input.next() {
            guard line.text.contains(where: { !$0.isWhitespace }) else { continue }
            batch.drafts.append((line.number, line.text))
            bytes += line.text.utf8.count + 64
        }
        guard !batch.drafts.isEmpty else { return nil }
        batches.append(batch)
        return frame(batch)
    }

    private mutating func take(_ outcome: Result<[JSON.Member], Failure>) throws(Failure) -> [UInt8]? {
        var batch = batches.removeFirst()
        switch outcome {
        case .success(let parameters):
            added += batch.drafts.count
            progress.show(added)
            if session.isJSON { session.output.json(parameters) }
            return nil
        case .failure(let failure):
            guard failure.code == .refused, let index = failure.action, batch.drafts.indices.contains(index) else {
                throw failure
            }
            let line = batch.drafts.remove(at: index)
            refused += 1
            progress.clear()
            Output.complain("line \(line.line): \(failure.message) (\(Visible.text(line.title)))")
            guard refused < Importer.refusalsMax else {
                throw Failure(.refused, "\(refused) lines were refused; giving up at line \(line.line).")
            }
            guard !batch.drafts.isEmpty else { return nil }
            batch.key = DispatchKey.make()
            batches.append(batch)
            return frame(batch)
        }
    }

    private func frame(_ batch: Batch) -> [UInt8] {
        let actions = batch.drafts.map { line in
            var draft = draft
            draft.title = line.title
            return TodoAction.add(draft)
        }
        return Frame.call(DispatchMethod.self, .init(actions: actions, key: batch.key))
    }

    private final class Shared {
        var importer: Importer
        init(_ importer: Importer) { self.importer = importer }
    }
}
