import Chronicle
import ChronicleLog
import ChronicleStore

/// The edits of a query, indexed by record.
struct EditPlan<App: Feature>: Sendable {
    /// An inserted action, and the index of its edit.
    typealias Insertion = (action: App.Action, index: Int)

    struct Replacement: Sendable {
        var action: App.Action
        /// The index of its edit.
        var index: Int
        /// The batch of the record, whose ids the action may use.
        var batch: ClosedRange<UInt64>
        var ids: [UInt64] = []
    }

    let recordsOnly: Bool
    /// In order, without overlaps.
    let skipped: [ClosedRange<UInt64>]
    /// Skipped steps that began before the skipped records.
    var earlierSteps: Set<UInt64> = []
    /// Steps whose effects may differ, and with them their undos.
    var affected: Set<UInt64> = []
    private(set) var edits: [UInt64: Replacement] = [:]
    /// Records that an edited record of the same batch replaces.
    private(set) var replaced: Set<UInt64> = []
    private(set) var insertions: [UInt64: [Insertion]] = [:]

    /// Indexes the edits of records above `base` up to `last`, of a log that ends at `head`.
    /// - Throws: `badEdit` with the first invalid one, `futureSequence` and `pruned`.
    init(_ query: WhatIfQuery<App>, base: UInt64, last: UInt64, head: UInt64) throws(StoreError) {
        recordsOnly = query.recordsOnly
        var ranges: [ClosedRange<UInt64>] = []
        guard query.edits.count <= HistoryLimits.editsMax else { throw .answerTooLarge }
        for (index, edit) in query.edits.enumerated() {
            func check(_ sequence: UInt64, from first: UInt64) throws(StoreError) {
                guard sequence >= first else {
                    guard base == 0 else { throw .pruned(base: base) }
                    throw .badEdit(index, "\(sequence) can't be altered; the log begins at 1")
                }
                guard sequence <= head else { throw .futureSequence(head: head) }
                guard sequence <= last else {
                    throw .badEdit(index, "\(sequence) comes after \(last), the moment that is asked for")
                }
            }
            switch edit {
            case .skip(let range):
                try check(range.lowerBound, from: base + 1)
                try check(range.upperBound, from: base + 1)
                ranges.append(range)
            case .edit(let sequence, let action):
                try check(sequence, from: base + 1)
                guard edits[sequence] == nil else { throw .badEdit(index, "\(sequence) is edited twice") }
                edits[sequence] = Replacement(action: action, index: index, batch: sequence...sequence)
            case .insert(let sequence, let action):
                try check(sequence, from: base)
                insertions[sequence, default: []].append((action, index))
            }
        }
        skipped = Self.joined(ranges)
        for (sequence, edit) in edits.sorted(by: { $0.value.index < $1.value.index }) where skips(sequence) {
            throw .badEdit(edit.index, "\(sequence) is skipped as well")
        }
    }

    private static func joined(_ ranges: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        var joined: [ClosedRange<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// The first record that may differ from the log.
    var first: UInt64? {
        let all = [
            skipped.first?.lowerBound, earlierSteps.min(), edits.keys.min(), insertions.keys.min().map { $0 + 1 },
            replaced.min(), affected.min(),
        ]
        return all.compactMap { $0 }.min()
    }

    /// Makes an edited record replace its batch, which created these ids.
    mutating func widen(_ edited: UInt64, to batch: ClosedRange<UInt64>, ids: [UInt64]) {
        edits[edited]?.batch = batch
        edits[edited]?.ids = ids
        for sequence in batch where edits[sequence] == nil { replaced.insert(sequence) }
    }

    private func skips(_ sequence: UInt64) -> Bool {
        // Most queries are about one range.
        var (low, high) = (0, skipped.count)
        while low < high {
            let middle = (low + high) / 2
            if skipped[middle].upperBound < sequence { low = middle + 1 } else { high = middle }
        }
        return low < skipped.count && skipped[low].contains(sequence)
    }

    /// Whether a whole step is skipped; its id is its first record, so only steps that began before the skipped records are listed.
    func skips(step: UInt64) -> Bool { !recordsOnly && (skips(step) || earlierSteps.contains(step)) }

    /// Whether a record is unedited, except perhaps by its cause or its step, and nothing is inserted after it.
    func isPlain(_ sequence: UInt64) -> Bool {
        (edits.isEmpty || edits[sequence] == nil) && (insertions.isEmpty || insertions[sequence] == nil)
            && (replaced.isEmpty || !replaced.contains(sequence))
    }

    /// Whether a record is skipped; an edit takes precedence over skipping its step.
    ///
    /// The results of the commands of a skipped step are decided with those commands, not here.
    func skips(_ record: HeaderFields) -> Bool {
        if skips(record.sequence) { return true }
        // A command's end in a later step than its request belongs to that later step, which undid it.
        let isOfStep = record.cause.map { record.step > $0.sequence } ?? true
        guard isOfStep, skips(step: record.step) else { return false }
        return edits[record.sequence] == nil && !replaced.contains(record.sequence)
    }
}
