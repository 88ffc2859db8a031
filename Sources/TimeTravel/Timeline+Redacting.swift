import ActionCoding
import ActionLogs
public import Reducing
public import StoreRuntime

extension Timeline where App.Action: ValueConvertible {
    /// The newest state as it would be if a record held another action: a fold beside the log.
    ///
    /// - Parameters:
    ///   - sequence: the record.
    ///   - rewritten: the action for the one that it holds; `nil` where it can't be another.
    /// - Returns: what a store needs to make it so; `nil` when the record holds no action, or the closure gave none.
    /// - Throws: `future`, `pruned`, `damaged`, `busy`, `cancelled`.
    public func redaction(
        of sequence: UInt64, _ rewritten: @Sendable (App.Action) -> App.Action?
    ) async throws(TravelError) -> Redaction<App>? {
        try await query(.long) { (queries) async throws(TravelError) in
            let (head, redactions) = (self.log.head.sequence, self.redactions)
            guard sequence > self.base.sequence else { throw .pruned(base: self.base.sequence) }
            guard sequence <= head else { throw .future(head: head) }
            var past = try await self.past(at: sequence - 1, queries)
            var action: App.Action?
            var texts: [String] = []
            try self.readSlice(from: sequence, through: sequence) { record, old in
                action = old.flatMap(rewritten)
                texts = old?.value.texts ?? []
                past.apply(action ?? old, of: record)
                return false
            }
            guard let action else { return nil }
            try await self.fold(&past, through: head, queries)
            let stays = action.value.texts
            texts.removeAll { text in stays.contains { $0.hasSameBytes(as: text) } }
            return Redaction(
                sequence: sequence, action: action, state: past.state, through: head, redactions: redactions, texts: texts)
        }
    }
}

extension Timeline {
    /// The records that hold one of some texts, whatever the case of its letters a to z; the first `TravelLimits.answersMax`.
    ///
    /// Texts below `TravelLimits.soughtBytesMin` bytes are not looked for; they stand everywhere.
    public func records(holding texts: [String]) async throws(TravelError) -> [UInt64] {
        let needles = texts.filter { $0.utf8.count >= TravelLimits.soughtBytesMin }.map(Needle.init)
        return try await query(.long) { (queries) async throws(TravelError) in
            var found: [UInt64] = []
            let head = self.log.head.sequence
            var next = self.base.sequence + 1
            while !needles.isEmpty, next <= head, found.count < TravelLimits.answersMax {
                let end = monotonicNanoseconds() + TravelLimits.sliceNanoseconds
                try TravelError.reading { () throws(ActionLogError) in
                    next = try self.log.fold(from: next, through: head) { record, payload in
                        if needles.contains(where: { $0.isIn(payload) }) { found.append(record.sequence) }
                        guard found.count < TravelLimits.answersMax else { return false }
                        return monotonicNanoseconds() < end
                    }
                }
                try await self.breathe(queries)
            }
            return found
        }
    }
}

extension Value {
    /// All texts in it.
    fileprivate var texts: [String] {
        switch self {
        case .null, .bool, .int: []
        case .text(let text): [text]
        case .list(let values): values.flatMap(\.texts)
        case .record(let fields): fields.flatMap(\.value.texts)
        }
    }
}
