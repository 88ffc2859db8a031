import Chronicle
import TodoAPI

/// What steps did, as far as each is named, and how many they are.
struct Deeds {
    /// So many are named each.
    static let namedMax = 10
    /// Of more than those the first so many.
    static let firstMax = 3

    var named: [String] = []
    var count = 0

    /// `remove 6; done 3`, `12 steps: remove 6; done 3; move 1 and 9 more`.
    var text: String {
        guard count > Self.namedMax || count > named.count else { return named.joined(separator: "; ") }
        let first = named.prefix(Self.firstMax)
        return "\(Digits.counted(count, "step")): " + first.joined(separator: "; ")
            + " and \(Digits.grouped(count - first.count)) more"
    }
}

extension Session {
    /// What steps did, as the verbs are called that do it: `remove 6`; of steps that took something back, what that had done.
    func deeds(of steps: [UInt64]) throws(Failure) -> Deeds {
        let isMany = steps.count > Deeds.namedMax
        let read = isMany ? steps.prefix(Deeds.firstMax) : steps[...]
        var deeds = Deeds(count: steps.count - read.count)
        for step in read {
            let part = try self.deeds(of: step)
            deeds.named += part.named
            deeds.count += part.count
        }
        return deeds
    }

    private func deeds(of step: UInt64) throws(Failure) -> Deeds {
        var reader = StepReader(session: self, step: step)
        var deed: ActionSummary?
        var back: RestoreSummary?
        // Of what was done again after it was taken back, what that did at first.
        var undone: [UInt64] = []
        while let records = try reader.next() {
            if deed == nil, back == nil, undone.isEmpty { back = records.first?.restores.map(RestoreSummary.init(to:)) }
            if back != nil {
                for record in records where record.cause == nil { if let action = record.action { back?.take(action) } }
                continue
            }
            for record in records {
                if let other = record.undoes, other < step, !undone.contains(other) { undone.append(other) }
                // What commands brought is not what was done.
                guard undone.isEmpty, record.cause == nil, let action = record.action else { continue }
                let next = try ActionSummary(action, changes(of: record, for: deed))
                if deed == nil { deed = next } else { deed?.join(next) }
            }
        }
        if let back { return Deeds(named: [back.text], count: 1) }
        guard undone.isEmpty else { return try deeds(of: undone) }
        return Deeds(named: [(deed?.text ?? "step \(step)") + (reader.isWhole ? "" : " and more")], count: 1)
    }

    /// What a record changed, where only that tells what its thing is called, and that is told at all.
    private func changes(of record: RecordMessage, for deed: ActionSummary?) throws(Failure) -> [Change] {
        guard let action = record.action, ActionSummary.isNamedByChanges(action), deed?.canAddName != false else { return [] }
        return try self.record(record.sequence, changes: true)?.detail?.changes ?? []
    }
}

/// Reads the records of a step a piece at a time, but for those that came when others had done something meanwhile.
private struct StepReader {
    let session: Session
    let step: UInt64
    /// Whether nothing of the step is left out.
    private(set) var isWhole = false
    private var first: UInt64
    private var limit = Self.recordsAtFirst
    private var count = 0

    // Most steps have few records; those of an import have many.
    private static let recordsAtFirst: UInt64 = 16
    private static let growth: UInt64 = 16
    // What others did behind the step is read with its last piece.
    private static let pieceRecordsMax: UInt64 = 4_096
    // As many as one `add --stdin` makes.
    private static let recordsMax = 524_288

    init(session: Session, step: UInt64) {
        (self.session, self.step) = (session, step)
        first = step
    }

    /// The next records; `nil` where all were read that are.
    mutating func next() throws(Failure) -> [RecordMessage]? {
        guard !isWhole, count < Self.recordsMax else { return nil }
        var page: [RecordMessage] = []
        let input = LogMethod.Input(from: Point(sequence: first), limit: limit)
        for answer in try session.research(LogMethod.self, input) { page += try answer.output().records }
        let records = page.filter { $0.step == step && (first == step || $0.sequence > first) }
        count += records.count
        // The last one begins the next piece: what comes behind the end can't be asked for.
        if let last = page.last, last.step == step, page.count == Int(clamping: limit) {
            (first, limit) = (last.sequence, min(limit * Self.growth, Self.pieceRecordsMax))
        } else {
            isWhole = true
        }
        return records
    }
}
