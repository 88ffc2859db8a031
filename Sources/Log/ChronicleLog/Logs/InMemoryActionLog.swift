internal import ChronicleValues
internal import Synchronization

/// An action log in memory, with the bytes and checks of the log on disk, for tests and daemons without a directory.
public final class InMemoryActionLog: ReplicableLog {
    struct Segment {
        var first: UInt64
        var bytes: [UInt8]
        var ends: [Int]

        func range(_ sequence: UInt64) -> Range<Int> {
            let index = Int(sequence - first)
            return (index == 0 ? 0 : ends[index - 1])..<ends[index]
        }
    }

    struct Content {
        var head: Head
        var segments: [Segment] = []
        var keys: [[UInt8]: [UInt8]] = [:]
        var outbox: [CommandID: [UInt8]] = [:]
        var bookmarks: [[UInt8]: [UInt8]] = [:]
        var bytes = 0
        var redactions = Redactions()
        var base: BaseRow?
        var place: ReplicaPlace?
    }

    let content: Mutex<Content>

    /// Creates an empty log; it reads no clock, so the default epoch is random.
    public init(epoch: UInt64? = nil, storeID: String? = nil) {
        content = Mutex(
            Content(head: Head(epoch: epoch ?? .random(in: 1..<1 << 51), storeID: storeID ?? Head.newStoreID())))
    }

    public var head: Head { content.withLock { $0.head } }

    public var redactions: Redactions { content.withLock { $0.redactions } }

    /// Set only by an import; a log in memory is never compacted.
    public var base: Base? { content.withLock { $0.base?.base } }

    public func baseRow() -> BaseRow? { content.withLock { $0.base } }

    public func append(_ flush: Flush) throws(ActionLogError) { try append(flush) { () throws(ActionLogError) in } }

    /// Holds the lock while `isSettled` runs, so reads wait for the decision.
    public func append(_ flush: Flush, once isSettled: () throws(ActionLogError) -> Void) throws(ActionLogError) {
        let failure = content.withLock { content -> ActionLogError? in
            if let contradiction = flush.contradiction(to: content.head) { return contradiction }
            // Checked before any change, in place: copying the tables would cost their whole size per flush.
            guard Self.fits(flush, content) else {
                return .contradiction(what: "a row exists that should not, or a required row is missing")
            }
            do throws(ActionLogError) { try isSettled() } catch { return error }
            Self.apply(flush, to: &content)
            if let place = flush.place { content.place = place }
            if let beginning = flush.beginning { content.base = beginning }
            if flush.recordCount > 0 {
                let records = flush.records.bytes
                content.segments.append(Segment(first: flush.base + 1, bytes: records, ends: flush.recordEnds))
            }
            content.bytes += flush.byteCount
            content.head = flush.head(after: content.head)
            return nil
        }
        if let failure { throw failure }
    }

    public func key(_ key: String, of uid: UInt32) throws(ActionLogError) -> KeyRow? {
        var bytes: [UInt8] = []
        try RowKey.append(key, of: uid, to: &bytes)
        guard let value = content.withLock({ $0.keys[bytes] }) else { return nil }
        return try Row.open(
            value.span.bytes, key: bytes.span.bytes, as: KeyRow.self, sequence: 0, of: "the row of a key of uid \(uid)")
    }

    public func openCommands() throws(ActionLogError) -> (rows: [OutboxRow], last: UInt64) {
        let (stored, head) = content.withLock { ($0.outbox, $0.head) }
        var rows: [OutboxRow] = []
        for (id, value) in stored.sorted(by: { $0.key < $1.key }) {
            var key: [UInt8] = []
            RowKey.append(id, to: &key)
            var row = try Row.open(
                value.span.bytes, key: key.span.bytes, as: OutboxRow.self, sequence: id.sequence,
                of: "the row of the open command \(id.index)")
            row.isHeld = id.sequence <= head.heldThrough
            rows.append(row)
        }
        return (rows, head.sequence)
    }

    public func storage() -> StorageUse {
        content.withLock { content in
            StorageUse(
                records: Int(content.head.sequence - (content.base?.base.sequence ?? 0)), keys: content.keys.count,
                commands: content.outbox.count,
                usedBytes: content.bytes)
        }
    }

    public func headroom() -> FreeSpace { FreeSpace() }

    public func anchor() {}

    // Checks that each row exists or not as its change requires; a flush may add a row and close it.
    private static func fits(_ flush: Flush, _ content: borrowing Content) -> Bool {
        var changed: [[UInt8]: Bool] = [:]
        var isNew = true
        flush.beginningKeys.forEach { key, _ in
            let key = Array(key)
            isNew = isNew && content.keys[key] == nil && changed.updateValue(true, forKey: [0] + key) == nil
        }
        guard isNew else { return false }
        for change in flush.rowChanges where change.kind.isConditional {
            let key = Array(flush.rows.bytes[change.key])
            // The prefix keeps the keys of the two tables apart.
            let name = (change.kind == .addKey ? [0] : [1]) + key
            let isThere: Bool
            if let known = changed[name] {
                isThere = known
            } else if change.kind == .addKey {
                isThere = content.keys[key] != nil
            } else {
                isThere = RowKey.commandID(key.span.bytes).map { content.outbox[$0] != nil } ?? false
            }
            guard isThere == (change.kind == .changeCommand || change.kind == .closeCommand) else { return false }
            changed[name] = change.kind != .closeCommand
        }
        return true
    }

    private static func apply(_ flush: Flush, to content: inout Content) {
        flush.beginningKeys.forEach { content.keys[Array($0)] = Array($1) }
        for change in flush.rowChanges {
            let key = Array(flush.rows.bytes[change.key])
            let value = Array(flush.rows.bytes[change.value])
            switch change.kind {
            case .addKey: content.keys[key] = value
            case .setBookmark: content.bookmarks[key] = value
            case .removeBookmark: content.bookmarks[key] = nil
            case .addCommand, .changeCommand, .closeCommand:
                guard let id = RowKey.commandID(key.span.bytes) else { continue }
                content.outbox[id] = change.kind == .closeCommand ? nil : value
            }
        }
    }
}
