import Records
import Values

extension RecordHeader {
    /// Whether it came with the same dispatch as the record right before it; without a key it may be another one that continues its step.
    func isOfDispatch(of before: RecordHeader) -> Bool {
        guard step == before.step, cause == nil, kind == .action else { return false }
        // What an undo cancels ends before its own records, without its key.
        guard before.kind == .action, before.cause == nil else { return before.kind == .end && before.origin == origin }
        return switch (key, before.key) {
        case (let key?, let other?): key.hasSameBytes(as: other)
        case (nil, nil): true
        default: false
        }
    }
}
