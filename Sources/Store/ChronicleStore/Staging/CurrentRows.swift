public import Chronicle
public import ChronicleLog

/// The rows that records determine: open commands, bookmarks, lock, invariants, epoch and held commands.
///
/// `StagedLog` writes these rows together with the records. Verification, repair, restoring, compaction and imports derive them from the
/// records with this value.
public struct CurrentRows<Command: NamedCommand & CanonicalCodable>: Sendable {
    public private(set) var open: [CommandID: OutboxRow] = [:]
    public private(set) var bookmarks: [ExactText: BookmarkRow] = [:]
    private var facts: CurrentFacts
    /// The last record that changed which commands are held, or the base.
    private var holdRecord: UInt64
    /// Records up to here may belong to another log, so only the head knows which locks and invariants of them are active.
    private let importedThrough: UInt64
    /// The depths of ended commands, if not 0.
    private var depths: [CommandID: UInt32] = [:]

    private init(_ facts: CurrentFacts, after base: UInt64, importedThrough: UInt64) {
        (self.facts, holdRecord, self.importedThrough) = (facts, base, importedThrough)
        for row in facts.bookmarks { bookmarks[ExactText(row.name)] = row }
    }

    /// The rows before the first record of a log.
    /// - Parameters:
    ///   - kept: the rows of its base, if it has one.
    ///   - stored: the readable rows of the log; they replace those that the base of an older version lacks.
    public init(
        beforeFirstOf log: any ActionLog, _ head: Head, _ kept: CompactionSummary?,
        stored: (outbox: [OutboxRow], bookmarks: [BookmarkRow])
    ) {
        let base = log.base
        let facts = CurrentFacts(kept, after: base?.sequence ?? 0, head, bookmarks: stored.bookmarks)
        self.init(facts, after: base?.sequence ?? 0, importedThrough: head.importedThrough)
        guard let kept, let base else { return }
        put(kept.open, at: base.time)
        guard kept.standing == nil else { return }
        for row in stored.outbox where open[row.id]?.call == row.call {
            open[row.id]?.setProgress(row.pieces, row.done, of: row.total)
        }
    }

    /// The rows of a log that imports records: their locks and invariants are not taken over.
    public init(importingAfter open: [OutboxRow], _ bookmarks: [BookmarkRow]) {
        var facts = CurrentFacts()
        facts.bookmarks = bookmarks
        self.init(facts, after: 0, importedThrough: .max)
        for row in open { self.open[row.id] = row }
    }

    /// The rows with which an import begins an empty log.
    public init(importing base: BaseRow) {
        self.init(importingAfter: [], base.kept.standing?.bookmarks ?? [])
        put(base.kept.open, at: base.base.time)
    }

    /// The open commands, in starting order.
    public var outbox: [OutboxRow] { open.values.sorted { $0.id < $1.id } }

    /// Everything else, with the bookmarks in the order of their records.
    public var standing: CurrentFacts {
        var standing = facts
        standing.bookmarks = bookmarks.values.sorted { ($0.record, $0.name) < ($1.record, $1.name) }
        return standing
    }

    /// Commands of records up to here are held; an import may hold later ones, too.
    public var heldAtLeast: UInt64 { min(facts.heldThrough, holdRecord) }

    /// Applies the next record.
    /// - Returns: how the record contradicts the rows, as the rest of a sentence; `nil`: it does not.
    /// - Throws: if this version can't read the payload.
    @discardableResult
    public mutating func apply(_ header: RecordHeader, _ payload: RawSpan) throws(CanonicalError) -> String? {
        switch header.kind {
        case .action: open(header)
        case .end:
            end(header.cause)
            open(header)
        case .bookmark: return set(try Bookmark(canonical: payload), by: header)
        case .epoch:
            let change = try EpochChange(canonical: payload)
            facts.epoch = max(facts.epoch, change.epoch)
            hold(through: change.heldThrough, by: header)
        case .hold: hold(through: .max, by: header)
        case .release: hold(through: 0, by: header)
        case .lock:
            var lock = try Lock(canonical: payload)
            (lock.origin, lock.record) = (header.origin, header.sequence)
            facts.lock = header.sequence > importedThrough ? lock : nil
        case .unlock: facts.lock = nil
        case .edit: return edit(try CommandEdit(canonical: payload), by: header)
        case .piece: return add(try ResultPiece(canonical: payload), by: header)
        case .invariant:
            let change = try Invariant(canonical: payload)
            if header.sequence > importedThrough {
                facts.invariants.apply(change, of: header.sequence, by: header.origin)
            }
        }
        return nil
    }

    private mutating func put(_ kept: [OutboxRow], at time: Int64) {
        for row in kept { open[row.id] = OutboxRow(kept: row, Self.policy(of: row.call), at: time) }
    }

    /// Opens the commands that a record requested; the running code decides how they are run.
    private mutating func open(_ header: RecordHeader) {
        guard !header.commands.isEmpty else { return }
        let depth = header.cause.map { (open[$0]?.depth ?? depths[$0] ?? 0) + 1 } ?? 0
        for (index, call) in header.commands.enumerated() where !call.presentational {
            let policy = Self.policy(of: call)
            guard policy?.isCancellation != true else { continue }
            let row = OutboxRow(index, policy, askedBy: header, depth: depth)
            open[row.id] = row
        }
    }

    private mutating func end(_ cause: CommandID?) {
        guard let cause, let ended = open.removeValue(forKey: cause), ended.depth > 0 else { return }
        depths[cause] = ended.depth
    }

    private mutating func set(_ bookmark: Bookmark, by header: RecordHeader) -> String? {
        let name = ExactText(bookmark.name)
        let isNew = !bookmark.isWithdrawn && bookmarks[name] == nil
        bookmarks[name] =
            bookmark.isWithdrawn
            ? nil : BookmarkRow(name: bookmark.name, sequence: bookmark.sequence, record: header.sequence)
        if bookmark.sequence > header.sequence { return "names record \(bookmark.sequence), which comes after it" }
        guard isNew, bookmarks.count > Limits.bookmarksMax else { return nil }
        return "exceeds the maximum of \(Limits.bookmarksMax) bookmarks"
    }

    private mutating func edit(_ edit: CommandEdit, by header: RecordHeader) -> String? {
        let before = header.cause.flatMap { open[$0] }
        if let before { open[before.id]?.edit(to: edit.after, by: header.sequence, Self.policy(of: edit.after)) }
        return before?.call == edit.before ? nil : "edits a command that is not open in that form"
    }

    private mutating func add(_ piece: ResultPiece, by header: RecordHeader) -> String? {
        let before = header.cause.flatMap { open[$0] }
        if let before { open[before.id]?.setProgress(piece.index &+ 1, piece.done, of: piece.total) }
        return before?.pieces == piece.index ? nil : "has a piece that is out of order, or belongs to a command that is not open"
    }

    private mutating func hold(through last: UInt64, by header: RecordHeader) {
        (facts.heldThrough, holdRecord) = (last, header.sequence)
    }

    private static func policy(of call: CommandCall) -> CommandPolicy? {
        (try? Command(canonical: call.arguments))?.policy
    }

    /// Applies records of a log.
    /// - Returns: the next record.
    @discardableResult
    public mutating func apply(
        _ log: any ActionLog, from first: UInt64, through last: UInt64, recordsMax: Int = .max, bytesMax: Int = .max
    ) throws(ActionLogError) -> UInt64 {
        var unreadable: ActionLogError?
        let next = try log.read(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax) { header, payload in
            do throws(CanonicalError) { try apply(header, payload) } catch { unreadable = .unreadable(header) }
            return unreadable == nil
        }
        if let unreadable { throw unreadable }
        return next
    }

    /// Applies a record of a log, and reads the rest of it only if it is needed.
    public mutating func apply(_ record: HeaderFields, of log: any ActionLog) throws(ActionLogError) {
        guard record.changesRows else { return }
        if record.kind == .end, record.commandCount == 0 { return end(record.cause) }
        try apply(log, from: record.sequence, through: record.sequence)
    }
}

extension HeaderFields {
    /// Whether it may change the rows beside the records: a plain action does not.
    public var changesRows: Bool { kind != .action || commandCount > 0 }
}

extension ActionLogError {
    /// The content of a record that this version can't read.
    public static func unreadable(_ header: RecordHeader) -> ActionLogError {
        .damaged(sequence: header.sequence, what: "its \(header.kind.name) can't be read by this version")
    }
}

/// The records of a dispatch with a key, collected to check or restore its row.
public struct KeyedRun: Sendable {
    /// The key with the row that these records require; `nil`: the last record has no key.
    public private(set) var run: DerivedRows.KeyRun?
    private var step: UInt64 = 0
    private var hasRow = false

    public init() {}

    /// The last record of a dispatch whose row is missing; `nil`: it has one, or the records have no key.
    public var lastWithoutRow: UInt64? { hasRow ? nil : run?.row.last }

    /// Adds the next record.
    public mutating func take<App: Feature>(_ record: LoggedRecord<App>, epoch: UInt64 = 0) {
        let header = record.header
        if !goesOn(with: header) {
            run = header.key.map { key in
                .init(
                    KeyPlace(uid: header.origin, key: key),
                    KeyRow(first: header.sequence, last: header.sequence, digest: 0, epoch: epoch))
            }
            (step, hasRow) = (header.step, false)
        }
        run?.row.last = header.sequence
        run?.row.time = header.time
        if let action = record.action { run?.row.ids += App.created(by: action) }
    }

    /// Whether a record belongs to the same dispatch.
    ///
    /// A dispatch that the end of an import cut off may be repeated with the same key, as a new step.
    public func goesOn(with header: RecordHeader) -> Bool {
        !hasRow && step == header.step && header.key.map { run?.place == KeyPlace(uid: header.origin, key: $0) } ?? false
    }

    /// Whether a row matches these records: a dispatch that began before `start` has earlier records, and one that continues a step may
    /// follow other records of it.
    public mutating func agrees(with row: KeyRow, since start: UInt64) -> Bool {
        guard let own = run?.row, row.last == own.last, row.time == own.time else { return false }
        hasRow = true
        // For a dispatch that began earlier, the collected ids are its last ones.
        if row.first < start { return own.first == start && row.ids.suffix(own.ids.count) == own.ids[...] }
        if row.first == own.first { return row.ids == own.ids }
        return row.first > own.first && row.first <= row.last && own.ids.suffix(row.ids.count) == row.ids[...]
    }
}
