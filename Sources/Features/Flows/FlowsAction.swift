import ActionCoding
public import Restoring

extension Flows {
    /// What can happen to flows: orders, and what they are logged as.
    public enum Action: Sendable {
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
    }
}

extension Flows.Action: Equatable {
    /// Compares the canonical bytes, so texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }
}
