import Chronicle
import Glibc
import TodoAPI
import TodoClient
import Varlink

/// Adds a todo for each line of standard input in order, as one step, or none.
///
/// All lines are parsed and tried first, and errors are printed per line. Then they are sent in batches. Each continues the first
/// one's step and waits for the previous batch, so that a repeated batch keeps the order.
final class Importer {
    private struct Item {
        var line: Int
        var draft: TodoDraft
    }

    private struct Batch {
        var items: ArraySlice<Item>
        var key = DispatchKey.make()
    }

    /// Maximum size of the input, including the overhead per line.
    static let bytesMax = 32 << 20
    private static let lineBytes = 64
    private static let batchLinesMax = 1000
    private static let batchBytesMax = 262_144
    // The preview contains the todos and must fit into one reply.
    private static let trialLinesMax = 250
    private static let trialBytesMax = 65_536
    private static let refusalsMax = 100
    // How long the last reply is awaited after a signal.
    private static let lastAnswerMicroseconds: Int64 = 2_000_000

    let session: Session
    private let draft: (String, Int) throws(Failure) -> TodoDraft
    private var input: Lines
    private var rest: ArraySlice<Item> = []
    private var step: UInt64?
    private var added = 0
    private var ids: [Int64] = []
    private var isHeld = false
    private var refused = 0
    private var progress = Progress()
    // The number of unconfirmed todos, and the total.
    private var underWay = 0
    private var count = 0

    /// - Parameter draft: parses a line.
    init(session: Session, input: Int32 = 0, draft: @escaping (String, Int) throws(Failure) -> TodoDraft) {
        self.session = session
        self.input = Lines(descriptor: input)
        self.draft = draft
    }

    /// Reads the input to its end.
    ///
    /// If standard output is closed, nothing more is sent. A signal ends the program between two batches, and the added todos are
    /// reported.
    func run() throws(Failure) {
        session.output.endsWithReader = false
        Interruption.hold()
        // Exits if a signal has arrived.
        defer { Interruption.release() }
        session.client.awaitAnswer = { descriptor throws(Failure) in try Self.awaitAnswer(on: descriptor) }
        session.client.pausing = { microseconds throws(Failure) in
            guard !Interruption.isRequested else { throw Interruption.failure }
            Clock.pause(microseconds: microseconds)
        }
        do throws(Failure) { try add() } catch {
            guard Interruption.isRequested else { throw error }
            progress.clear()
            session.output.flush()
            for line in Self.interrupted(added: added, of: count, underWay: underWay, step) { Output.complain(line) }
        }
    }

    static func interrupted(added: Int, of count: Int, underWay: Int, _ step: UInt64?) -> [String] {
        let more = Digits.counted(underWay, "more was", "more were")
        let unknown = underWay == 0 ? [] : ["Whether \(more) added is unknown: no answer came."]
        guard let step, added > 0 else {
            return underWay == 0 ? ["Nothing was added."] : unknown + ["To find out: todoctl steps --limit 1"]
        }
        return ["\(Digits.grouped(added)) of \(Digits.counted(count, "todo was", "todos were")) added."] + unknown
            + ["To undo it: todoctl undo \(step)"]
    }

    /// Waits for a reply; after a signal only briefly.
    private static func awaitAnswer(on descriptor: Int32) throws(Failure) {
        var (answer, end) = (pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), Int64?.none)
        var waiting = Progress()
        defer { waiting.clear() }
        while poll(&answer, 1, Interruption.pollMilliseconds) <= 0 {
            waiting.show("working")
            guard Interruption.isRequested else { continue }
            let last = end ?? Clock.uptime() + lastAnswerMicroseconds
            end = last
            guard Clock.uptime() < last else { throw Interruption.failure }
        }
    }

    private func add() throws(Failure) {
        defer { progress.clear() }
        rest = try items()[...]
        count = rest.count
        try tryAll()
        guard refused == 0 else { throw nothingAdded() }
        do throws(Failure) {
            try session.client.exchange(
                window: 1, next: { () throws(Failure) in next() },
                take: { outcome, batch throws(Failure) in try take(outcome, batch) })
        } catch {
            progress.clear()
            if added > 0, !Interruption.isRequested {
                Output.complain("\(Digits.counted(added, "todo was", "todos were")) added before this:")
            }
            throw error
        }
        guard !Interruption.isRequested || rest.isEmpty && underWay == 0 else { throw Interruption.failure }
        progress.clear()
        if !session.isJSON {
            session.show(
                ["Added \(Digits.counted(added, "todo"))\(Self.named(ids))."] + session.heldNotice(isHeld)
                    + session.undoHint(step))
        }
        session.output.flush()
        if let number = session.output.loss { throw unread(number) }
    }

    /// `: 5-6`, if the ids are consecutive.
    private static func named(_ ids: [Int64]) -> String {
        guard let first = ids.first, let last = ids.last, ids.enumerated().allSatisfy({ $1 - first == $0 }) else { return "" }
        return first == last ? ": \(first)" : ": \(first)-\(last)"
    }

    private func unread(_ number: Int32) -> Failure {
        let reach = rest.first.map { " Nothing after line \(Digits.grouped($0.line - 1)) was sent: add the rest again." } ?? ""
        return Failure(
            .inputOutput,
            "\(Digits.counted(added, "todo was", "todos were")) added, but not all messages about them could "
                + "be written (standard output: \(String(cString: strerror(number)))).\(reach)")
    }

    /// Parses all lines that are not blank, and fails if any is invalid.
    private func items() throws(Failure) -> [Item] {
        var items: [Item] = []
        var bytes = 0
        while let line = try input.next() {
            guard let text = line.text else {
                try refuse(line.number, "this is not UTF-8")
                continue
            }
            guard text.contains(where: { !$0.isWhitespace }) else { continue }
            bytes += text.utf8.count + Self.lineBytes
            guard bytes <= Self.bytesMax else {
                throw Failure(.usage, "The input exceeds 32 MiB, the maximum of one step. Nothing was added: add it in parts.")
            }
            do throws(Failure) {
                items.append(Item(line: line.number, draft: try draft(text, line.number)))
            } catch {
                try refuse(line.number, "\(error.message) (\(Visible.text(text)))")
            }
        }
        return items
    }

    /// Previews all todos in batches, and prints each refused line.
    private func tryAll() throws(Failure) {
        var rest = rest
        while !rest.isEmpty {
            guard !Interruption.isRequested else { throw Interruption.failure }
            try tryOut(Self.take(from: &rest, lines: Self.trialLinesMax, bytes: Self.trialBytesMax))
        }
    }

    private func tryOut(_ items: ArraySlice<Item>) throws(Failure) {
        guard let first = items.indices.first else { return }
        let input = DispatchMethod.Input(actions: items.map { TodoAction.add($0.draft) }, dryRun: true)
        do throws(Failure) {
            _ = try session.client.call(DispatchMethod.frame(input))
        } catch {
            if let index = error.refusal?.action, index < items.count {
                // The todos before it would be added.
                let item = items[first + index]
                try refuse(item.line, "\(error.message) (\(Visible.text(item.draft.title ?? "")))")
                return try tryOut(items[(first + index + 1)...])
            }
            guard error.isTooLarge else { throw error }
            // A single todo that is too large for the preview is checked by the dispatch.
            guard items.count > 1 else { return }
            try tryOut(items.prefix(items.count / 2))
            try tryOut(items.dropFirst(items.count / 2))
        }
    }

    private static func take(from rest: inout ArraySlice<Item>, lines: Int, bytes: Int) -> ArraySlice<Item> {
        var (count, sum) = (0, 0)
        for item in rest.prefix(lines) where sum < bytes {
            count += 1
            sum += (item.draft.title ?? "").utf8.count + lineBytes
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private func next() -> PendingCall<Batch>? {
        guard session.output.loss == nil, !Interruption.isRequested else { return nil }
        let items = Self.take(from: &rest, lines: Self.batchLinesMax, bytes: Self.batchBytesMax)
        guard !items.isEmpty else { return nil }
        underWay = items.count
        return call(Batch(items: items))
    }

    private func take(_ outcome: Result<[Value.Field], Failure>, _ batch: Batch) throws(Failure) -> PendingCall<Batch>? {
        switch outcome {
        case .success(let parameters):
            if step == nil { step = Self.step(begunBy: parameters) }
            if parameters.contains(where: { $0.name.hasSameBytes(as: "commandsHeld") && $0.value.bool == true }) { isHeld = true }
            (added, underWay) = (added + batch.items.count, 0)
            ids += (parameters.first { $0.name.hasSameBytes(as: "ids") }?.value.list ?? []).compactMap(\.int)
            progress.show(added)
            if session.isJSON {
                session.output.json(parameters)
                session.output.flush()
            }
            return nil
        case .failure(var failure):
            underWay = 0
            // The list changed since the preview.
            if let index = failure.refusal?.action, index < batch.items.count {
                failure.message = "line \(batch.items[batch.items.startIndex + index].line): \(failure.message)"
            }
            throw failure
        }
    }

    private func refuse(_ line: Int, _ reason: String) throws(Failure) {
        refused += 1
        progress.clear()
        Output.complain("line \(line): \(reason)")
        guard refused < Self.refusalsMax else { throw nothingAdded(" Checking stopped at line \(line).") }
    }

    private func nothingAdded(_ more: String = "") -> Failure {
        Failure(.refused, "\(Digits.counted(refused, "line is", "lines are")) refused, so nothing was added.\(more)")
    }

    private func call(_ batch: Batch) -> PendingCall<Batch> {
        let actions = batch.items.map { TodoAction.add($0.draft) }
        return PendingCall(frame: DispatchMethod.frame(.init(actions: actions, key: batch.key, step: step)), subject: batch)
    }

    private static func step(begunBy answer: [Value.Field]) -> UInt64? {
        answer.first { $0.name.hasSameBytes(as: "sequences") }?.value.list?.first?.int.map { UInt64(clamping: $0) }
    }
}
