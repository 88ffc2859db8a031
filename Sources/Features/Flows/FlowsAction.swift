public import Fields

extension Flows {
    /// What can happen to flows: orders, and what they are logged as.
    public enum Action: Cased {
        /// Starts a flow of a kind, which ends by itself after so many seconds without an answer (0: never); logged as `started`. Nothing is
        /// logged while one of that kind is open.
        case start(kind: String, seconds: UInt64 = 0)
        /// Answers an open flow; logged as `ended`.
        case answer(UInt64, String)
        /// Cancels an open flow and those it waits for; logged as `ended`, without a result, from the innermost.
        case cancel(UInt64)
        /// A flow is open; said of one that is open already, another waits for it from now on.
        case started(Flow)
        /// A flow has come to its one result, or to none, and is no longer there.
        case ended(UInt64, result: String?)
        /// The answers that there are to choose from are others now.
        case offered(UInt64, options: [String])
        /// Puts flows back, each with its id to its place, and takes others away: what happened is taken back.
        case restore(TablePatch<Flow>)
        /// A fact: the time of a flow was over, and it is no longer there; 0: that is no longer told of any.
        case timedOut(UInt64)

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .start(kind: "")
            case 2: .answer(0, "")
            case 3: .cancel(0)
            case 4: .started(Flow())
            case 5: .ended(0, result: nil)
            case 6: .offered(0, options: [])
            case 7: .restore(TablePatch())
            case 8: .timedOut(0)
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .start(var kind, let seconds):
                visitor.choose(1, "start")
                try visitor.field(1, "kind", &kind, .required)
                // 0 seconds say something, which an id of 0 does not.
                var count = Count(Int64(clamping: seconds))
                try visitor.field(2, "seconds", &count)
                return .start(kind: kind, seconds: UInt64(clamping: count.number))
            case .answer(var id, var text):
                visitor.choose(2, "answer")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "text", &text, .required)
                return .answer(id, text)
            case .cancel(var id):
                visitor.choose(3, "cancel")
                try visitor.field(1, "id", &id, .needed)
                return .cancel(id)
            case .started(var flow):
                try visitor.whole(4, "started", &flow)
                return .started(flow)
            case .ended(var id, var result):
                visitor.choose(5, "ended")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "result", &result)
                return .ended(id, result: result)
            case .offered(var id, var options):
                visitor.choose(6, "offered")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "options", &options, .required)
                return .offered(id, options: options)
            case .restore(var patch):
                try visitor.whole(7, "restore", &patch)
                return .restore(patch)
            case .timedOut(var id):
                visitor.choose(8, "timedOut")
                try visitor.field(1, "id", &id)
                return .timedOut(id)
            }
        }
    }
}
