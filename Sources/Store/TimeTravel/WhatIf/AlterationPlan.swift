import Records
import Reducing
import StoreRuntime

/// The alterations of a question, arranged by the records that they concern.
struct AlterationPlan<App: Feature>: Sendable {
    /// What comes behind a record.
    enum Insertion: Sendable {
        /// An action as dispatched, and which alteration it is.
        case new(App.Action, alteration: Int)
        /// A record from elsewhere.
        case moved(UInt64)
    }

    /// What is asked of one record by itself.
    struct Special: Sendable {
        var edit: (action: App.Action, alteration: Int)?
        var isMoved = false
        /// The batch that an edited record came with, whose ids its action may have.
        var batch: ClosedRange<UInt64>?
        /// The ids that this batch created.
        var ids: [UInt64] = []
    }

    /// What becomes of a record.
    enum Fate {
        case kept
        case skipped
        /// An edited record of the same batch stands for it.
        case replaced
        case special(Special)
    }

    let skipping: WhatIfQuery<App>.Skipping
    /// In order, apart from each other.
    let skipped: [ClosedRange<UInt64>]
    /// Steps that are skipped although they began before the skipped records.
    var earlierSteps: Set<UInt64> = []
    /// Steps of which something is different, so that taking them back is, too.
    var affected: Set<UInt64> = []
    private(set) var specials: [UInt64: Special] = [:]
    private(set) var replaced: Set<UInt64> = []
    private(set) var insertions: [UInt64: [Insertion]] = [:]

    /// Arranges alterations of the records above `base` up to `last`, of a log that ends at `head`.
    ///
    /// - Throws: `alteration` with the first one that can't be, `futureSequence` and `pruned`.
    init(_ question: WhatIfQuery<App>, base: UInt64, last: UInt64, head: UInt64) throws(StoreError) {
        skipping = question.skipping
        var ranges: [ClosedRange<UInt64>] = []
        guard question.alterations.count <= HistoryLimits.alterationsMax else {
            throw .answerTooLarge
        }
        for (index, alteration) in question.alterations.enumerated() {
            func check(_ sequence: UInt64, from first: UInt64) throws(StoreError) {
                guard sequence >= first else {
                    guard base == 0 else { throw .pruned(base: base) }
                    throw .alteration(index, "\(sequence) can't be altered; the log begins at 1")
                }
                guard sequence <= head else { throw .futureSequence(head: head) }
                guard sequence <= last else {
                    throw .alteration(index, "\(sequence) comes after \(last), the moment that is asked for")
                }
            }
            switch alteration {
            case .skip(let range):
                try check(range.lowerBound, from: base + 1)
                try check(range.upperBound, from: base + 1)
                ranges.append(range)
            case .edit(let sequence, let action):
                try check(sequence, from: base + 1)
                guard specials[sequence]?.edit == nil else { throw .alteration(index, "\(sequence) is edited twice") }
                specials[sequence, default: Special()].edit = (action, index)
            case .insert(let sequence, let action):
                try check(sequence, from: base)
                insertions[sequence, default: []].append(.new(action, alteration: index))
            case .move(let sequence, let place):
                try check(sequence, from: base + 1)
                try check(place, from: base)
                guard specials[sequence]?.isMoved != true else { throw .alteration(index, "\(sequence) is moved twice") }
                guard sequence != place else { throw .alteration(index, "\(sequence) can't be moved behind itself") }
                specials[sequence, default: Special()].isMoved = true
                insertions[place, default: []].append(.moved(sequence))
            }
        }
        skipped = Self.joined(ranges)
        for (index, alteration) in question.alterations.enumerated() {
            switch alteration {
            case .edit(let sequence, _), .move(let sequence, _):
                if skips(sequence) { throw .alteration(index, "\(sequence) is skipped as well") }
            case .skip, .insert: break
            }
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

    /// The first record that can be otherwise than in the log.
    var first: UInt64? {
        let all = [
            skipped.first?.lowerBound, earlierSteps.min(), specials.keys.min(), insertions.keys.min().map { $0 + 1 },
            replaced.min(), affected.min(),
        ]
        return all.compactMap { $0 }.min()
    }

    /// The records that are edited.
    var edited: [UInt64] { specials.filter { $0.value.edit != nil }.keys.sorted() }

    /// Lets an edited record stand for the batch that it came with, in which these ids were created.
    mutating func widen(_ edited: UInt64, to batch: ClosedRange<UInt64>, ids: [UInt64]) {
        specials[edited]?.batch = batch
        specials[edited]?.ids = ids
        for sequence in batch where specials[sequence] == nil { replaced.insert(sequence) }
    }

    private func skips(_ sequence: UInt64) -> Bool {
        // Most questions are about one range.
        var (low, high) = (0, skipped.count)
        while low < high {
            let middle = (low + high) / 2
            if skipped[middle].upperBound < sequence { low = middle + 1 } else { high = middle }
        }
        return low < skipped.count && skipped[low].contains(sequence)
    }

    /// Whether a whole step is skipped.
    ///
    /// A step is named by its first record, so those that began with a skipped one need no list.
    func skips(step: UInt64) -> Bool { skipping == .steps && (skips(step) || earlierSteps.contains(step)) }

    /// Whether nothing but its cause decides on a record, and nothing comes behind it.
    func isPlain(_ sequence: UInt64) -> Bool {
        (specials.isEmpty || specials[sequence] == nil) && (insertions.isEmpty || insertions[sequence] == nil)
            && (replaced.isEmpty || !replaced.contains(sequence))
    }

    /// What becomes of a record; what was asked of it by itself counts more than what was asked of its step.
    ///
    /// What a command of a skipped step brought is not in question here: it stays or goes with that command.
    func fate(of record: HeaderFields) -> Fate {
        if !specials.isEmpty, let special = specials[record.sequence] { return .special(special) }
        if skips(record.sequence) { return .skipped }
        if !replaced.isEmpty, replaced.contains(record.sequence) { return .replaced }
        // What ended a command in a later step than asked for it belongs to that step, which took it back.
        let isOfStep = record.cause.map { record.step > $0.sequence } ?? true
        return isOfStep && skips(step: record.step) ? .skipped : .kept
    }

    func isMoved(_ sequence: UInt64) -> Bool { specials[sequence]?.isMoved == true }
}
