internal import ChronicleValues

/// A request to a member's JSON gateway, with the decoder of its response.
public struct EtcdCall<Answer: Sendable>: Sendable {
    let path: String
    let body: [UInt8]
    let bytesMax: Int
    let read: @Sendable (Value) -> Answer?

    init(
        _ path: String, _ fields: [Value.Field], upTo bytesMax: Int = 1 << 20, read: @escaping @Sendable (Value) -> Answer?
    ) {
        self.path = path
        body = Value.record(fields).jsonBytes
        self.bytesMax = bytesMax
        self.read = read
    }
}

public struct EtcdEntry: Sendable, Equatable {
    public var key: [UInt8]
    public var value: [UInt8]
    public var createRevision: Int64
    public var modRevision: Int64
}

public struct EtcdLease: Sendable, Equatable {
    public var id: Int64
    /// The remaining seconds when the member answered; 0: there is no such lease.
    public var seconds: Int64
}

public struct EtcdRange: Sendable, Equatable {
    public var key: [UInt8]
    /// The key after the last; `nil`: only the first key.
    public var end: [UInt8]?
    /// Maximum number of entries; 0: all.
    public var limit: Int

    /// One key, or all keys from it up to another, which is excluded.
    public init(_ key: [UInt8], upTo end: [UInt8]? = nil, limit: Int = 0) {
        self.key = key
        self.end = end
        self.limit = limit
    }

    public init(allWith prefix: [UInt8], limit: Int = 0) {
        var end = prefix
        while let last = end.popLast() {
            guard last < .max else { continue }
            end.append(last + 1)
            break
        }
        // A single byte 0 means the first key, and also the end of all keys.
        self.init(prefix.isEmpty ? [0] : prefix, upTo: end.isEmpty ? [0] : end, limit: limit)
    }

    var fields: [Value.Field] {
        var fields: [Value.Field] = [.init("key", .bytes(key))]
        if let end { fields.append(.init("range_end", .bytes(end))) }
        if limit > 0 { fields.append(.init("limit", .int(Int64(limit)))) }
        return fields
    }
}

extension EtcdCall {
    /// A linearizable read of a range.
    public static func range(_ range: EtcdRange) -> EtcdCall<[EtcdEntry]> {
        EtcdCall<[EtcdEntry]>("kv/range", range.fields, upTo: entriesBytesMax) { $0.entries }
    }

    public static func transaction(_ transaction: EtcdTransaction) -> EtcdCall<EtcdTransaction.Answer> {
        EtcdCall<EtcdTransaction.Answer>("kv/txn", transaction.fields, upTo: entriesBytesMax) { EtcdTransaction.Answer($0) }
    }

    public static func grantLease(seconds: Int64) -> EtcdCall<EtcdLease> {
        EtcdCall<EtcdLease>("lease/grant", [.init("TTL", .text("\(seconds)"))]) { $0.lease }
    }

    /// Renews a lease; if it does not exist, the answer has 0 seconds and is no error.
    public static func keepAlive(lease: Int64) -> EtcdCall<EtcdLease> {
        EtcdCall<EtcdLease>("lease/keepalive", [.init("ID", .text("\(lease)"))]) { $0["result"]?.lease }
    }

    /// Ends a lease and deletes the keys under it.
    public static func revoke(lease: Int64) -> EtcdCall<Void> {
        EtcdCall<Void>("lease/revoke", [.init("ID", .text("\(lease)"))]) { _ in () }
    }

    /// Reads how many bytes of the answering member's database are in use.
    public static var databaseBytesInUse: EtcdCall<Int64> {
        EtcdCall<Int64>("maintenance/status", []) { $0["dbSizeInUse"]?.number ?? 0 }
    }

    /// Discards superseded and deleted values up to a revision; the members free their space after they have answered.
    public static func compact(through revision: Int64) -> EtcdCall<Void> {
        EtcdCall<Void>("kv/compaction", [.init("revision", .text("\(revision)"))]) { _ in () }
    }

    static func authenticate(_ user: EtcdOptions.User) -> EtcdCall<String> {
        let fields: [Value.Field] = [.init("name", .text(user.name)), .init("password", .text(user.password))]
        return EtcdCall<String>("auth/authenticate", fields) { answer in
            guard let token = answer["token"]?.text, isToken(token) else { return nil }
            return token
        }
    }
}

/// Maximum size of a response with entries: a page of them in Base64.
private let entriesBytesMax = 16 << 20

/// Whether a text can be the value of a header; otherwise each later call would fail before it is sent.
private func isToken(_ text: String) -> Bool {
    (1...4_096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
}

/// Longer than any requested lease.
private let leaseSecondsMax: Int64 = 86_400

extension Value {
    static func bytes(_ bytes: [UInt8]) -> Value { .text(Base64.text(bytes)) }

    static func putFields(_ key: [UInt8], _ value: [UInt8], lease: Int64) -> [Field] {
        var fields = [Field("key", .bytes(key)), Field("value", .bytes(value))]
        if lease != 0 { fields.append(Field("lease", .text("\(lease)"))) }
        return fields
    }

    /// The header of a response; a stream has one in each result.
    var header: Value? { self["header"] ?? self["result"]?["header"] }

    var cluster: String? { header?["cluster_id"]?.text }

    /// A 64-bit number; the gateway writes it as a text and omits it if it is 0.
    var number: Int64? { int ?? text.flatMap { Int64($0) } }

    /// The entries of a range response; etcd omits the field for an empty list.
    var entries: [EtcdEntry]? {
        guard record != nil else { return nil }
        var entries: [EtcdEntry] = []
        for value in self["kvs"]?.list ?? [] {
            guard let entry = value.entry else { return nil }
            entries.append(entry)
        }
        return entries
    }

    var entry: EtcdEntry? {
        guard let key = Base64.bytes(self["key"]?.text ?? ""), let value = Base64.bytes(self["value"]?.text ?? "") else {
            return nil
        }
        return EtcdEntry(
            key: key, value: value, createRevision: self["create_revision"]?.number ?? 0,
            modRevision: self["mod_revision"]?.number ?? 0)
    }

    var lease: EtcdLease? {
        let seconds = self["TTL"]?.number ?? 0
        guard let id = self["ID"]?.number, id > 0, (0...leaseSecondsMax).contains(seconds) else { return nil }
        return EtcdLease(id: id, seconds: seconds)
    }
}

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
