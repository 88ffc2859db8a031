internal import Values

/// One request to a member's JSON gateway, and how its answer is read.
public struct EtcdCall<Answer: Sendable>: Sendable {
    /// The path below `/v3/`.
    let path: String
    let body: [UInt8]
    /// How many bytes its answer may have.
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

/// A key with its value, and when it was written.
public struct EtcdEntry: Sendable, Equatable {
    public var key: [UInt8]
    /// The value; empty if it was not asked for.
    public var value: [UInt8]
    /// The revision at which the key came to be.
    public var createRevision: Int64
    /// The revision at which it was written last.
    public var modRevision: Int64
}

/// A lease, and how long it lasts from when that was said.
public struct EtcdLease: Sendable, Equatable {
    public var id: Int64
    /// How many seconds it lasts; 0: there is no such lease.
    public var seconds: Int64
}

/// A request about a range of keys.
public struct EtcdRange: Sendable, Equatable {
    /// The first key.
    public var key: [UInt8]
    /// The key behind the last; `nil`: the first one alone.
    public var end: [UInt8]?
    /// How many entries are wanted at most; 0: all.
    public var limit: Int
    private(set) var isNewestFirst = false

    /// One key, or all from it up to another.
    public init(_ key: [UInt8], upTo end: [UInt8]? = nil, limit: Int = 0) {
        self.key = key
        self.end = end
        self.limit = limit
    }

    /// All keys that begin so.
    public init(allWith prefix: [UInt8], limit: Int = 0) {
        var end = prefix
        while let last = end.popLast() {
            guard last < .max else { continue }
            end.append(last + 1)
            break
        }
        // No key is empty, and nothing is behind all keys: both are written as a byte 0.
        self.init(prefix.isEmpty ? [0] : prefix, upTo: end.isEmpty ? [0] : end, limit: limit)
    }

    /// The same entries, the one that came to be last first; the limit leaves out the oldest.
    public var newestFirst: EtcdRange {
        var range = self
        range.isNewestFirst = true
        return range
    }

    var fields: [Value.Field] {
        var fields: [Value.Field] = [.init("key", .bytes(key))]
        if let end { fields.append(.init("range_end", .bytes(end))) }
        if limit > 0 { fields.append(.init("limit", .int(Int64(limit)))) }
        if isNewestFirst { fields += [.init("sort_order", .text("DESCEND")), .init("sort_target", .text("CREATE"))] }
        return fields
    }
}

extension EtcdCall {
    /// Reads a range of keys as they stand once everything acknowledged before is done.
    public static func range(_ range: EtcdRange) -> EtcdCall<[EtcdEntry]> {
        EtcdCall<[EtcdEntry]>("kv/range", range.fields, upTo: entriesBytesMax) { $0.entries }
    }

    public static func put(_ key: [UInt8], _ value: [UInt8], lease: Int64 = 0) -> EtcdCall<Void> {
        EtcdCall<Void>("kv/put", Value.putFields(key, value, lease: lease)) { _ in () }
    }

    public static func delete(_ range: EtcdRange) -> EtcdCall<Void> {
        EtcdCall<Void>("kv/deleterange", range.fields) { _ in () }
    }

    /// Compares, and does one thing or another.
    public static func transaction(_ transaction: EtcdTransaction) -> EtcdCall<EtcdTransaction.Answer> {
        EtcdCall<EtcdTransaction.Answer>("kv/txn", transaction.fields, upTo: entriesBytesMax) { EtcdTransaction.Answer($0) }
    }

    public static func grantLease(seconds: Int64) -> EtcdCall<EtcdLease> {
        EtcdCall<EtcdLease>("lease/grant", [.init("TTL", .text("\(seconds)"))]) { $0.lease }
    }

    /// Makes a lease last its whole time again; one that is gone is answered with 0 seconds, and no error.
    public static func keepAlive(lease: Int64) -> EtcdCall<EtcdLease> {
        EtcdCall<EtcdLease>("lease/keepalive", [.init("ID", .text("\(lease)"))]) { $0["result"]?.lease }
    }

    /// Ends a lease, and removes what was written under it.
    public static func revoke(lease: Int64) -> EtcdCall<Void> {
        EtcdCall<Void>("lease/revoke", [.init("ID", .text("\(lease)"))]) { _ in () }
    }

    /// Reads how many bytes of the answering member's database are in use.
    public static var databaseBytesInUse: EtcdCall<Int64> {
        EtcdCall<Int64>("maintenance/status", []) { $0["dbSizeInUse"]?.number ?? 0 }
    }

    /// Discards superseded and deleted values up to a revision. The members free their space after they have answered.
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

/// Bytes of an answer with entries: a page of them, written in Base64.
private let entriesBytesMax = 16 << 20

/// Whether a text can be shown with every call; one that can't would end them all before they are sent.
private func isToken(_ text: String) -> Bool {
    (1...4_096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
}

/// No lease that is asked for lasts longer.
private let leaseSecondsMax: Int64 = 86_400

extension Value {
    static func bytes(_ bytes: [UInt8]) -> Value { .text(Base64.text(bytes)) }

    static func putFields(_ key: [UInt8], _ value: [UInt8], lease: Int64) -> [Field] {
        var fields = [Field("key", .bytes(key)), Field("value", .bytes(value))]
        if lease != 0 { fields.append(Field("lease", .text("\(lease)"))) }
        return fields
    }

    /// What a member says of itself with each answer; what comes as a stream has it within each result.
    var header: Value? { self["header"] ?? self["result"]?["header"] }

    /// The id of the cluster that answered.
    var cluster: String? { header?["cluster_id"]?.text }

    /// A number of 64 bits, which the gateway writes as a text, and leaves out when it is 0.
    var number: Int64? { int ?? text.flatMap { Int64($0) } }

    /// The entries of a range's answer; one without any has no field for them.
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
