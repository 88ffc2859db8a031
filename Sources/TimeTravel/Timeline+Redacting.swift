import ActionCoding
import ActionLogs
public import Reducing
public import StoreRuntime

extension Timeline {
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
        try await query { (queries) async throws(TravelError) in
            let head = self.log.head.sequence
            guard sequence > self.base.sequence else { throw .pruned(base: self.base.sequence) }
            guard sequence <= head else { throw .future(head: head) }
            var past = try await self.past(at: sequence - 1, queries)
            var action: App.Action?
            try self.readSlice(from: sequence, through: sequence) { record, old in
                action = old.flatMap(rewritten)
                past.apply(action ?? old, of: record)
                return false
            }
            guard let action else { return nil }
            try await self.fold(&past, through: head, queries)
            return Redaction(sequence: sequence, action: action, state: past.state, through: head)
        }
    }
}
