internal import Values

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

    /// What is done.
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

    /// Makes one.
    public init(if comparisons: [Comparison] = [], then: [Operation], otherwise: [Operation] = []) {
        self.comparisons = comparisons
        self.then = then
        self.otherwise = otherwise
    }

    var fields: [Value.Field] {
        [
            .init("compare", .list(comparisons.map(\.value))), .init("success", .list(then.map(\.value))),
            .init("failure", .list(otherwise.map(\.value))),
        ]
    }
}

extension EtcdTransaction.Comparison {
    fileprivate var value: Value {
        switch self {
        case .value(let key, let value):
            .record([.init("key", .bytes(key)), .init("target", .text("VALUE")), .init("value", .bytes(value))])
        case .createRevision(let key, let revision):
            .record([
                .init("key", .bytes(key)), .init("target", .text("CREATE")), .init("create_revision", .text("\(revision)")),
            ])
        case .exists(let key):
            .record([
                .init("key", .bytes(key)), .init("target", .text("CREATE")), .init("result", .text("GREATER")),
                .init("create_revision", .text("0")),
            ])
        case .unwritten(let range, let revision):
            .record(
                range.fields + [
                    .init("target", .text("MOD")), .init("result", .text("LESS")),
                    .init("mod_revision", .text("\(revision + 1)")),
                ])
        }
    }
}

extension EtcdTransaction.Operation {
    fileprivate var value: Value {
        switch self {
        case .put(let key, let value, let lease):
            .record([.init("request_put", .record(Value.putFields(key, value, lease: lease)))])
        case .range(let range): .record([.init("request_range", .record(range.fields))])
        case .delete(let range): .record([.init("request_delete_range", .record(range.fields))])
        }
    }
}

extension EtcdTransaction.Answer {
    init?(_ value: Value) {
        guard let revision = value["header"]?["revision"]?.number, 0..<Int64.max ~= revision else { return nil }
        hasSucceeded = value["succeeded"]?.bool ?? false
        self.revision = revision
        cluster = value.cluster
        entries = []
        for response in value["responses"]?.list ?? [] {
            guard let range = response["response_range"] else {
                entries.append([])
                continue
            }
            guard let found = range.entries else { return nil }
            entries.append(found)
        }
    }
}
