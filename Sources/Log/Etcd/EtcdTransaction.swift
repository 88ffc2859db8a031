/// Comparisons, and what is done when all of them hold, or else; all in one moment.
public struct EtcdTransaction: Sendable, Equatable {
    /// What is compared.
    public enum Comparison: Sendable, Equatable {
        /// The key has this value.
        case value(of: [UInt8], [UInt8])
        /// The key came to be at this revision; 0: there is none.
        case createRevision(of: [UInt8], Int64)
        /// There is the key.
        case exists([UInt8])
        /// No key of a range was written after this revision.
        case unwritten(EtcdRange, since: Int64)
    }

    public enum Operation: Sendable, Equatable {
        case put([UInt8], [UInt8], lease: Int64 = 0)
        case range(EtcdRange)
        case delete(EtcdRange)
    }

    /// What came of it.
    public struct Answer: Sendable, Equatable {
        /// Whether the comparisons held.
        public var hasSucceeded: Bool
        /// The revision at which it was done.
        public var revision: Int64
        /// The id of the cluster that did it; `nil`: it did not say it.
        public var cluster: String?
        /// For each operation what it found; nothing for one that writes.
        public var entries: [[EtcdEntry]]
    }

    /// What must hold.
    public var comparisons: [Comparison]
    /// What is done then.
    public var then: [Operation]
    /// What is done otherwise.
    public var otherwise: [Operation]

    public init(if comparisons: [Comparison] = [], then: [Operation], otherwise: [Operation] = []) {
        self.comparisons = comparisons
        self.then = then
        self.otherwise = otherwise
    }
}
