internal import ChronicleValues

/// Comparisons, the operations if all of them hold, and the operations otherwise, executed atomically.
public struct EtcdTransaction: Sendable, Equatable {
    public enum Comparison: Sendable, Equatable {
        case value(of: [UInt8], [UInt8])
        /// Created at this revision; 0: it does not exist.
        case createRevision(of: [UInt8], Int64)
        case exists([UInt8])
        /// No key of a range was written after this revision.
        case unwritten(EtcdRange, since: Int64)
    }

    public enum Operation: Sendable, Equatable {
        case put([UInt8], [UInt8], lease: Int64 = 0)
        case range(EtcdRange)
        case delete(EtcdRange)
    }

    public struct Answer: Sendable, Equatable {
        public var hasSucceeded: Bool
        public var revision: Int64
        public var cluster: String?
        /// The entries that each operation found; empty for a write.
        public var entries: [[EtcdEntry]]
    }

    public var comparisons: [Comparison]
    public var then: [Operation]
    public var otherwise: [Operation]

    public init(if comparisons: [Comparison] = [], then: [Operation], otherwise: [Operation] = []) {
        self.comparisons = comparisons
        self.then = then
        self.otherwise = otherwise
    }
}

extension EtcdTransaction {
    var fields: [Value.Field] {
        [
            .init("compare", .list(comparisons.map { .record($0.fields) })), .init("success", .list(then.map(\.value))),
            .init("failure", .list(otherwise.map(\.value))),
        ]
    }
}

extension EtcdTransaction.Comparison {
    fileprivate var fields: [Value.Field] {
        switch self {
        case .value(let key, let value):
            Self.fields("EQUAL", "VALUE", key) + [.init("value", .bytes(value))]
        case .createRevision(let key, let revision):
            Self.fields("EQUAL", "CREATE", key) + [.init("create_revision", .text("\(revision)"))]
        case .exists(let key):
            Self.fields("GREATER", "CREATE", key) + [.init("create_revision", .text("0"))]
        case .unwritten(let range, let revision):
            Self.fields("LESS", "MOD", range.key) + [.init("mod_revision", .text("\(revision + 1)"))]
                + (range.end.map { [.init("range_end", .bytes($0))] } ?? [])
        }
    }

    private static func fields(_ result: String, _ target: String, _ key: [UInt8]) -> [Value.Field] {
        [.init("result", .text(result)), .init("target", .text(target)), .init("key", .bytes(key))]
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
        let revision = value.header?["revision"]?.number ?? 0
        guard (0..<Int64.max).contains(revision) else { return nil }
        var entries: [[EtcdEntry]] = []
        for response in value["responses"]?.list ?? [] {
            guard let found = response["response_range"].map(\.entries) ?? [] else { return nil }
            entries.append(found)
        }
        self.init(
            hasSucceeded: value["succeeded"]?.bool ?? false, revision: revision, cluster: value.cluster, entries: entries)
    }
}
