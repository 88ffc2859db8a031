import TodoAPI

/// Redacts a text, or the texts of a todo, in all records, after a preview.
struct BulkRedaction {
    enum Wanted {
        case text(String)
        case todo(Int64)
    }

    /// The combined results of all calls.
    private struct Found {
        var sequences: [UInt64] = []
        var copies: [UInt64] = []
        var archive: String?
        var base: UInt64?
    }

    private let wanted: Wanted
    private let consent: Consent
    // Number of records shown in the preview.
    private static let namedMax = 10

    init(_ wanted: Wanted, _ consent: Consent) {
        self.wanted = wanted
        self.consent = consent
    }

    /// Shows a preview, asks, and redacts.
    func make(_ session: Session) throws(Failure) {
        let candidates = try candidates(session)
        let would = try ask(candidates, session, isDryRun: true, isShown: session.isJSON && consent.dryRun)
        guard !would.sequences.isEmpty else {
            throw Failure(.refused, "No record holds \(name)\(candidates.isEmpty ? "" : " where it can be taken out").")
        }
        if !session.isJSON, consent.dryRun || !consent.yes {
            session.show(try preview(would, of: candidates.count, session))
        }
        if consent.dryRun { return }
        try consent.ask("Blank them permanently?", session)
        let done = try ask(would.sequences, session, isDryRun: false, isShown: session.isJSON)
        guard !session.isJSON else { return }
        session.show(
            ["Blanked \(texts) in \(Digits.counted(done.sequences.count, "record"))."]
                + Redact.staying("what the records held") + rest(would))
    }

    /// The name in a sentence.
    private var name: String {
        switch wanted {
        case .text(let text): "“\(Visible.text(text))”"
        case .todo(let id): "the texts of todo \(id)"
        }
    }

    /// The description of the removed texts.
    private var texts: String {
        switch wanted {
        case .text: "the whole of each text with \(name)"
        case .todo: name
        }
    }

    /// The records that may contain it, oldest first.
    private func candidates(_ session: Session) throws(Failure) -> [UInt64] {
        var input = LogMethod.Input()
        switch wanted {
        case .text(let text): input.search = text
        case .todo(let id): input.path = "todos.items[\(id)]"
        }
        var found: [UInt64] = []
        var progress = Progress()
        defer { progress.clear() }
        try session.client.stream(LogMethod.self, input) { answer throws(Failure) in
            let page = try answer.output()
            found += page.records.map(\.sequence)
            if let reached = page.reached ?? page.records.last?.sequence { progress.show(record: reached) }
            return .more
        }
        return found
    }

    /// Redacts records, or previews it, some at a time.
    ///
    /// The newest go first, so that cached states before older records stay valid until those are redacted.
    private func ask(_ sequences: [UInt64], _ session: Session, isDryRun: Bool, isShown: Bool) throws(Failure) -> Found {
        var (found, rest) = (Found(), sequences[...])
        var count = RedactTextsMethod.sequencesMax
        var progress = Progress()
        defer { progress.clear() }
        while !rest.isEmpty {
            let answer: Answer<RedactTextsMethod>
            do throws(Failure) {
                // A repeated call finds nothing to redact, which is harmless.
                answer = try session.client.ask(
                    RedactTextsMethod.self, input(Array(rest.suffix(count)), isDryRun: isDryRun))
            } catch {
                // Large records are sent in smaller batches.
                if case .batchTooLarge = error.known, min(count, rest.count) > 1 {
                    count = min(count, rest.count) / 2
                    continue
                }
                var failure = error
                if !isDryRun, !found.sequences.isEmpty {
                    failure.message +=
                        "\nIt was removed from \(Digits.counted(found.sequences.count, "record")); repeat the command to continue."
                }
                throw failure
            }
            rest = rest.dropLast(count)
            let output = try answer.output()
            found.sequences = output.sequences + found.sequences
            found.copies = output.copies + found.copies
            (found.archive, found.base) = (output.archive, output.base)
            if isShown { session.output.json(answer.members) }
            progress.show("\(Digits.grouped(sequences.count - rest.count)) of \(Digits.grouped(sequences.count)) records")
        }
        let touched = Set(found.sequences)
        found.copies = Set(found.copies).subtracting(touched).sorted()
        return found
    }

    private func input(_ sequences: [UInt64], isDryRun: Bool) -> RedactTextsMethod.Input {
        var input = RedactTextsMethod.Input(sequences: sequences, dryRun: isDryRun ? true : nil)
        switch wanted {
        case .text(let text): input.text = text
        case .todo(let id): (input.feature, input.id) = ("todos", id)
        }
        return input
    }

    /// The number of records, the first of them, and what would stay.
    private func preview(_ would: Found, of candidateCount: Int, _ session: Session) throws(Failure) -> [String] {
        let count = would.sequences.count
        var lines = ["Would blank \(texts) in \(Digits.counted(count, "record")):"]
        for sequence in would.sequences.prefix(Self.namedMax) {
            guard let found = try session.record(sequence, changes: true) else { continue }
            lines.append("  \(RecordSentence(found.record, found.detail?.changes).text)  (record \(sequence))")
        }
        if count > Self.namedMax { lines.append("  and \(Digits.grouped(count - Self.namedMax)) more") }
        if case .text = wanted, candidateCount > count {
            let others = candidateCount - count
            lines.append(
                "\(Digits.counted(others, "more record")) \(others == 1 ? "holds" : "hold") it where it names something; there it stays."
            )
        }
        if case .text(let text) = wanted {
            let condition = FilterTerm(word: text).clause.text
            let (ids, _) = try session.elements(.init(scope: "todos.items", where: condition)) { Todo($0)?.id }
            if !ids.isEmpty {
                let named = ids.count <= Self.namedMax ? TodoSentences.ids(ids.sorted()) : Digits.grouped(ids.count)
                lines.append("In the list \(ids.count == 1 ? "todo" : "todos") \(named) would have ⟨redacted⟩ in its place.")
            }
            let views = try session.savedViews().filter { $0.filter.lowercased().contains(text.lowercased()) }
            lines += views.map { view in
                let name = Visible.text(view.name)
                return "The whole filter of the view \(name) goes; to give it another: todoctl view save \(name) FILTER"
            }
        }
        return lines + Redact.staying("what the records hold now") + rest(would)
    }

    private func rest(_ found: Found) -> [String] {
        Redact.rest(copies: found.copies, archive: found.archive, base: found.base)
    }
}
