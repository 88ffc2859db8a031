import Chronicle
import TodoAPI

/// Summaries of steps: the first ones, and the total count.
struct StepSummary {
    static let namedMax = 10
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
    /// The steps as commands: `remove 6`; for undos, the undone commands.
    func summary(of steps: [UInt64]) throws(Failure) -> StepSummary {
        let isMany = steps.count > StepSummary.namedMax
        let read = isMany ? steps.prefix(StepSummary.firstMax) : steps[...]
        var summary = StepSummary(count: steps.count - read.count)
        for step in read {
            let part = try self.summary(of: step)
            summary.named += part.named
            summary.count += part.count
        }
        return summary
    }

    private func summary(of step: UInt64) throws(Failure) -> StepSummary {
        var reader = StepReader(session: self, step: step)
        var combined: ActionSummary?
        var back: RestoreSummary?
        // A redo is described by the original step.
        var undone: [UInt64] = []
        while let records = try reader.next() {
            if combined == nil, back == nil, undone.isEmpty { back = records.first?.restores.map(RestoreSummary.init(to:)) }
            if back != nil {
                for record in records where record.cause == nil { if let action = record.action { back?.take(action) } }
                continue
            }
            for record in records {
                if let other = record.undoes, other < step, !undone.contains(other) { undone.append(other) }
                // Results of commands are not part of the summary.
                guard undone.isEmpty, record.cause == nil, let action = record.action else { continue }
                let next = try ActionSummary(action, changes(of: record, for: combined))
                if combined == nil { combined = next } else { combined?.join(next) }
            }
        }
        if let back { return StepSummary(named: [back.text], count: 1) }
        guard undone.isEmpty else { return try summary(of: undone) }
        return StepSummary(named: [(combined?.text ?? "step \(step)") + (reader.isWhole ? "" : " and more")], count: 1)
    }

    /// The changes of a record, if its summary needs them for a title and is listed.
    private func changes(of record: RecordMessage, for combined: ActionSummary?) throws(Failure) -> [Change] {
        guard let action = record.action, ActionSummary.isNamedByChanges(action), combined?.canAddName != false else { return [] }
        return try self.record(record.sequence, changes: true)?.detail?.changes ?? []
    }
}

/// Reads the records of a step page by page; records after those of other steps are left out.
private struct StepReader {
    let session: Session
    let step: UInt64
    /// Whether all records of the step were read.
    private(set) var isWhole = false
    private var first: UInt64
    private var limit = Self.recordsAtFirst
    private var count = 0

    // Most steps have few records; imports have many.
    private static let recordsAtFirst: UInt64 = 16
    private static let growth: UInt64 = 16
    // The last page also contains records of later steps.
    private static let pieceRecordsMax: UInt64 = 4_096
    // Maximum number of records of one `add --stdin`.
    private static let recordsMax = 524_288

    init(session: Session, step: UInt64) {
        (self.session, self.step) = (session, step)
        first = step
    }

    mutating func next() throws(Failure) -> [RecordMessage]? {
        guard !isWhole, count < Self.recordsMax else { return nil }
        var page: [RecordMessage] = []
        let input = LogMethod.Input(from: Point(sequence: first), limit: limit)
        for answer in try session.research(LogMethod.self, input) { page += try answer.output().records }
        let records = page.filter { $0.step == step && (first == step || $0.sequence > first) }
        count += records.count
        // The last record starts the next page too, because requesting a record after the head fails.
        if let last = page.last, last.step == step, page.count == Int(clamping: limit) {
            (first, limit) = (last.sequence, min(limit * Self.growth, Self.pieceRecordsMax))
        } else {
            isWhole = true
        }
        return records
    }
}
