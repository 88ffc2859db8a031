// The numbers of fields are those of etcd's rpc.proto and kv.proto.

extension EtcdTransaction {
    /// As members take it: `TxnRequest`.
    var message: [UInt8] {
        var writer = MessageWriter()
        for comparison in comparisons { writer.message(1) { comparison.write(to: &$0) } }
        for operation in then { writer.message(2) { operation.write(to: &$0) } }
        for operation in otherwise { writer.message(3) { operation.write(to: &$0) } }
        return writer.bytes
    }
}

extension EtcdTransaction.Comparison {
    private enum Result {
        static let greater: Int64 = 1
        static let less: Int64 = 2
    }

    private enum Target {
        static let createRevision: Int64 = 1
        static let modRevision: Int64 = 2
        static let value: Int64 = 3
    }

    fileprivate func write(to writer: inout MessageWriter) {
        switch self {
        case .value(let key, let value):
            writer.number(2, Target.value)
            writer.bytes(3, key)
            writer.bytes(7, value)
        case .createRevision(let key, let revision):
            writer.number(2, Target.createRevision)
            writer.bytes(3, key)
            writer.number(5, revision)
        case .exists(let key):
            writer.number(1, Result.greater)
            writer.number(2, Target.createRevision)
            writer.bytes(3, key)
            writer.number(5, 0)
        case .unwritten(let range, let revision):
            writer.number(1, Result.less)
            writer.number(2, Target.modRevision)
            writer.bytes(3, range.key)
            writer.number(6, revision + 1)
            if let end = range.end { writer.bytes(64, end) }
        }
    }
}

extension EtcdTransaction.Operation {
    fileprivate func write(to writer: inout MessageWriter) {
        switch self {
        case .range(let range): writer.message(1) { range.write(to: &$0) }
        case .put(let key, let value, let lease):
            writer.message(2) { writer in
                writer.bytes(1, key)
                writer.bytes(2, value)
                if lease != 0 { writer.number(3, lease) }
            }
        case .delete(let range): writer.message(3) { range.write(to: &$0) }
        }
    }
}

extension EtcdRange {
    private enum Order {
        static let descending: Int64 = 2
        static let byCreation: Int64 = 2
    }

    fileprivate func write(to writer: inout MessageWriter) {
        writer.bytes(1, key)
        if let end { writer.bytes(2, end) }
        if limit > 0 { writer.number(3, Int64(limit)) }
        guard isNewestFirst else { return }
        writer.number(5, Order.descending)
        writer.number(6, Order.byCreation)
    }
}

extension EtcdTransaction.Answer {
    /// Reads a `TxnResponse`; `nil`: it says what can't be.
    init?(_ message: ArraySlice<UInt8>) throws(MalformedMessage) {
        guard let header = try EtcdHeader(of: message), 0..<Int64.max ~= header.revision else { return nil }
        (hasSucceeded, revision, cluster, entries) = (false, header.revision, header.cluster, [])
        var reader = MessageReader(message)
        var room = Self.entriesMax
        while let (field, content) = try reader.next() {
            switch (field, content) {
            case (2, .number(let value)): hasSucceeded = value != 0
            case (3, .bytes(let response)): entries.append(try Self.entries(in: response, &room))
            default: break
            }
        }
    }

    /// Responses of an answer and entries in them, together: a page has a thousand.
    ///
    /// An empty one takes two bytes on the wire, and many more here.
    private static let entriesMax = 1 << 14

    /// What a `ResponseOp` has found.
    private static func entries(in response: ArraySlice<UInt8>, _ room: inout Int) throws(MalformedMessage) -> [EtcdEntry] {
        func take() throws(MalformedMessage) {
            room -= 1
            guard room >= 0 else { throw MalformedMessage() }
        }
        try take()
        var entries: [EtcdEntry] = []
        var reader = MessageReader(response)
        while let (field, content) = try reader.next() {
            guard case (1, .bytes(let range)) = (field, content) else { continue }
            var reader = MessageReader(range)
            while let (field, content) = try reader.next() {
                guard case (2, .bytes(let entry)) = (field, content) else { continue }
                try take()
                entries.append(try EtcdEntry(entry))
            }
        }
        return entries
    }
}

extension EtcdEntry {
    /// Reads a `KeyValue`.
    fileprivate init(_ message: ArraySlice<UInt8>) throws(MalformedMessage) {
        self.init(key: [], value: [], createRevision: 0, modRevision: 0)
        var reader = MessageReader(message)
        while let (field, content) = try reader.next() {
            switch (field, content) {
            case (1, .bytes(let bytes)): key = Array(bytes)
            case (2, .number(let number)): createRevision = Int64(bitPattern: number)
            case (3, .number(let number)): modRevision = Int64(bitPattern: number)
            case (5, .bytes(let bytes)): value = Array(bytes)
            default: break
            }
        }
    }
}

/// What a member says of itself with each answer: `ResponseHeader`.
struct EtcdHeader {
    /// The id of its cluster.
    var cluster: String?
    /// The revision at which the answer was given.
    var revision: Int64

    /// That of an answer; `nil`: it has none.
    init?(of answer: ArraySlice<UInt8>) throws(MalformedMessage) {
        var reader = MessageReader(answer)
        while let (field, content) = try reader.next() {
            guard case (1, .bytes(let header)) = (field, content) else { continue }
            self = try EtcdHeader(header)
            return
        }
        return nil
    }

    private init(_ message: ArraySlice<UInt8>) throws(MalformedMessage) {
        revision = 0
        var reader = MessageReader(message)
        while let (field, content) = try reader.next() {
            switch (field, content) {
            case (1, .number(let id)): cluster = "\(id)"
            case (3, .number(let number)): revision = Int64(bitPattern: number)
            default: break
            }
        }
    }
}
