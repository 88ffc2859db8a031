import ChronicleLog
import ChronicleValues

extension RecordHeader {
    /// Whether it belongs to the dispatch of the preceding record; without a key, it may be a later dispatch that continues the step.
    func isOfDispatch(of before: RecordHeader) -> Bool {
        guard step == before.step, cause == nil, kind == .action else { return false }
        // The cancellations of an undo precede its own records and have no key.
        guard before.kind == .action, before.cause == nil else { return before.kind == .end && before.origin == origin }
        return switch (key, before.key) {
        case (let key?, let other?): key.hasSameBytes(as: other)
        case (nil, nil): true
        default: false
        }
    }

    /// Whether it belongs to the dispatch, or to the undo of one step, of the preceding record.
    func isOfBatch(of before: RecordHeader) -> Bool {
        isOfDispatch(of: before) && before.kind == .action && origin == before.origin && undoes == before.undoes
    }
}
