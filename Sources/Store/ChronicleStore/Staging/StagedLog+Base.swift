import Chronicle
public import ChronicleLog

extension StagedLog {
    /// Starts an empty log from another log's base, which replaces all records up to its own.
    ///
    /// Locks and invariants are not taken over, as in an import of records.
    mutating func begin(with source: BaseRow, keys: PackedKeys) throws(StoreError) {
        guard staged.sequence == 0 else { throw .stale(current: staged.sequence) }
        let sequence = source.base.sequence
        try check(keys, of: source.base)
        let state: App.State
        do throws(CanonicalError) { state = try App.State(canonical: source.state) } catch {
            throw .damaged(sequence: sequence, what: "the base can't be read by this version: \(error.reason)")
        }
        var row = source
        var standing = CurrentFacts()
        (standing.epoch, standing.heldThrough) = (staged.epoch, sequence)
        standing.bookmarks = source.kept.standing?.bookmarks ?? []
        row.kept.standing = standing
        // The archive belongs to the other log.
        row.base.archive = nil
        try StoreError.reading { () throws(ActionLogError) in try pending.flush.begin(with: row, keys: keys) }
        (staged.state, staged.sequence, staged.time) = (state, sequence, source.base.time)
    }

    private func check(_ keys: PackedKeys, of base: Base) throws(StoreError) {
        var isKnown = false
        try StoreError.reading { () throws(ActionLogError) in
            // An empty log only has keys of dispatches that logged nothing.
            guard try log.storage().keys > 0 else { return }
            try keys.forEachPlace { (place) throws(ActionLogError) in
                if !isKnown { isKnown = try log.key(place.key, of: place.uid) != nil }
            }
        }
        guard !isKnown, keys.last <= base.sequence else {
            throw .damaged(sequence: base.sequence, what: "a key of the dispatches up to it")
        }
    }
}

extension ImportLimits {
    /// The reason why no log can begin with a base at a time, as the rest of a sentence; `nil` if one can.
    public static func objection(to row: BaseRow, at now: Int64) -> String? {
        let (base, kept) = (row.base, row.kept)
        if base.sequence == 0 { return "follows no record" }
        if base.sequence > sequenceMax { return objectionToSequence }
        if let objection = objection(toTime: base.time, at: now) { return objection }
        guard (base.archive ?? "").utf8.count <= archiveBytesMax, (base.archive ?? "").utf8.allSatisfy(isOfArchiveName) else {
            return "names an archive with an invalid name"
        }
        if kept.keys.count > baseKeysMax { return "has more than \(baseKeysMax) keys" }
        if kept.open.count > Limits.openCommandsMax { return "has more than \(Limits.openCommandsMax) open commands" }
        var last: CommandID?
        for command in kept.open {
            guard command == CompactionSummary.kept(command), last.map({ $0 < command.id }) ?? true, command.id.sequence > 0,
                max(command.id.sequence, command.step, command.edited) <= base.sequence, command.depth <= depthMax,
                command.pieces <= Limits.piecesMax
            else { return "has an invalid open command" }
            last = command.id
        }
        var names: Set<ExactText> = []
        for bookmark in kept.standing?.bookmarks ?? [] {
            guard (1...Bookmark.nameBytesMax).contains(bookmark.name.utf8.count), bookmark.sequence <= bookmark.record,
                bookmark.record <= base.sequence, names.insert(ExactText(bookmark.name)).inserted
            else { return "has an invalid bookmark" }
        }
        return names.count <= Limits.bookmarksMax ? nil : "has more than \(Limits.bookmarksMax) bookmarks"
    }

    // Deeper than any command, because commands are parked far above this depth.
    private static let depthMax: UInt32 = 1_000_000
    // Error messages contain the name.
    private static let archiveBytesMax = 64

    private static func isOfArchiveName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
