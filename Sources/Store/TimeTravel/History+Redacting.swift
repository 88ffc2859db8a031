public import Chronicle
import ChronicleLog
public import ChronicleStore
import Expressions

extension History where App.Action: ValueConvertible {
    /// The texts that would disappear from records if their actions were rewritten.
    /// - Parameters:
    ///   - sequences: the records, without duplicates.
    ///   - rewritten: the replacement of an action; `nil`: the action stays.
    /// - Returns: the rewritten actions, in order, and the texts that disappear, without duplicates.
    /// - Throws: `batchTooLarge` if several records exceed `bytesMax` together; `futureSequence`, `pruned`, `damaged`, `queryBusy`,
    ///   `stopping`.
    public func texts(
        goneFrom sequences: [UInt64], bytesMax: Int = HistoryLimits.redactedBytesMax,
        _ rewritten: @Sendable (App.Action) -> App.Action?
    ) async throws(StoreError) -> (actions: [(sequence: UInt64, action: App.Action)], texts: [String]) {
        try await query { (queries) async throws(StoreError) in
            var actions: [(sequence: UInt64, action: App.Action)] = []
            var texts: [String] = []
            var known: Set<ExactText> = []
            var bytes = 0
            for sequence in sequences.sorted() {
                if let old = try self.loggedAction(at: sequence), let action = rewritten(old) {
                    bytes += max(old.canonicalBytes.count, action.canonicalBytes.count)
                    guard actions.isEmpty || bytes <= bytesMax else { throw .batchTooLarge }
                    let stays = Set(action.value.texts.map(ExactText.init))
                    actions.append((sequence: sequence, action: action))
                    texts += old.value.texts.filter { text in
                        !stays.contains(ExactText(text)) && known.insert(ExactText(text)).inserted
                    }
                }
                try await queries.yieldIfNeeded()
            }
            return (actions: actions, texts: texts)
        }
    }
}

extension History {
    /// The newest state if records, without duplicates, contained other actions: a dry-run fold.
    /// - Returns: the redaction for the store to commit; `nil`: the records contain no action, or the closure returned none.
    /// - Throws: `futureSequence`, `pruned`, `damaged`, `queryBusy`, `stopping`.
    public func redaction(
        of sequences: [UInt64], _ rewritten: @Sendable (App.Action) -> App.Action?
    ) async throws(StoreError) -> Redaction<App>? {
        try await query(.long) { (queries) async throws(StoreError) in
            let redactions = self.redactions
            var actions: [(sequence: UInt64, action: App.Action)] = []
            for sequence in sequences.sorted() {
                try await queries.yieldIfNeeded()
                guard let action = try self.loggedAction(at: sequence).flatMap(rewritten) else { continue }
                actions.append((sequence: sequence, action: action))
            }
            guard let first = actions.first else { return nil }
            var past = try await self.past(at: first.sequence - 1, queries)
            for (sequence, action) in actions {
                try await self.fold(&past, through: sequence - 1, queries)
                try self.readSlice(from: sequence, through: sequence) { record, _ in
                    past.apply(action, of: record)
                    return false
                }
                try await queries.yieldIfNeeded()
            }
            // Fold new records too, until few enough are left for the store to fold during the commit.
            repeat {
                try await self.fold(&past, through: self.head, queries)
            } while self.head - past.sequence > Limits.meanwhileRecordsMax / 2
            return Redaction(actions: actions, state: past.state, through: past.sequence, redactions: redactions)
        }
    }

    private func loggedAction(at sequence: UInt64) throws(StoreError) -> App.Action? {
        guard sequence > base.sequence else { throw .pruned(base: base.sequence) }
        guard sequence <= head else { throw .futureSequence(head: head) }
        var action: App.Action?
        try readSlice(from: sequence, through: sequence) { _, logged in
            action = logged
            return false
        }
        return action
    }

    /// The first `HistoryLimits.answersMax` records that contain one of the texts, ignoring ASCII case and very short texts.
    /// - Parameters:
    ///   - known: records to leave out.
    ///   - bytesMax: bytes of texts that one pass searches for.
    public func records(
        holding texts: [String], besides known: Set<UInt64> = [], bytesMax: Int = HistoryLimits.soughtBytesMax
    ) async throws(StoreError) -> [UInt64] {
        let texts = texts.filter { $0.utf8.count >= HistoryLimits.soughtBytesMin }
        var found: Set<UInt64> = []
        var next = 0
        while next < texts.count {
            let first = next
            var bytes = 0
            repeat {
                bytes += texts[next].utf8.count
                next += 1
            } while next < texts.count && bytes + texts[next].utf8.count <= bytesMax
            found.formUnion(try await records(matching: AnySubstringSearch(Array(texts[first..<next])), besides: known))
        }
        return Array(found.sorted().prefix(HistoryLimits.answersMax))
    }

    private func records(matching search: AnySubstringSearch, besides known: Set<UInt64>) async throws(StoreError) -> [UInt64] {
        try await query(.long) { (queries) async throws(StoreError) in
            var found: [UInt64] = []
            var bytes = 0
            try await self.walk(from: self.base.sequence + 1, through: self.log.head.sequence, queries) { record, payload in
                if !known.contains(record.sequence), search.matches(payload) { found.append(record.sequence) }
                bytes += payload.byteCount
                return found.count < HistoryLimits.answersMax && bytes < HistoryLimits.searchedBytesMax
            } between: {
                bytes = 0
                return found.count < HistoryLimits.answersMax
            }
            return found
        }
    }
}

extension Value {
    fileprivate var texts: [String] {
        switch self {
        case .null, .bool, .int, .double: []
        case .text(let text): [text]
        case .list(let values): values.flatMap(\.texts)
        case .record(let fields): fields.flatMap(\.value.texts)
        }
    }
}
