public import Fields

extension Flows {
    /// What can happen to flows: orders, and what they are logged as.
    public enum Action: Cased {
        /// Starts a flow of a kind; logged as `started`. Nothing is logged while one of that kind is open.
        case start(kind: String)
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

        /// One of each case.
        public static let blanks: [Action?] = [
            .start(kind: ""), .answer(0, ""), .cancel(0), .started(Flow()), .ended(0, result: nil), .offered(0, options: []),
            .restore(TablePatch()),
        ]

        /// The fields of each case.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            switch self {
            case .start(var kind):
                visitor.choose(1, "start")
                try visitor.field(1, "kind", &kind, .required)
                self = .start(kind: kind)
            case .answer(var id, var text):
                visitor.choose(2, "answer")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "text", &text, .required)
                self = .answer(id, text)
            case .cancel(var id):
                visitor.choose(3, "cancel")
                try visitor.field(1, "id", &id, .needed)
                self = .cancel(id)
            case .started(var flow):
                try visitor.whole(4, "started", &flow)
                self = .started(flow)
            case .ended(var id, var result):
                visitor.choose(5, "ended")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "result", &result)
                self = .ended(id, result: result)
            case .offered(var id, var options):
                visitor.choose(6, "offered")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "options", &options, .required)
                self = .offered(id, options: options)
            case .restore(var patch):
                try visitor.whole(7, "restore", &patch)
                self = .restore(patch)
            }
        }
    }
}
