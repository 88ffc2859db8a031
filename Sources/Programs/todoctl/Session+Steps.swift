import Reducing
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
        let (records, isWhole) = try self.records(of: step)
        if let point = records.first?.restores { return Deeds(named: ["go back to \(point)"], count: 1) }
        // Of what was done again after it was taken back, what that did at first.
        var undone: [UInt64] = []
        for record in records {
            if let other = record.undoes, other < step, !undone.contains(other) { undone.append(other) }
        }
        guard undone.isEmpty else { return try deeds(of: undone) }
        var deed: Deed?
        // What commands brought is not what was done.
        for record in records where record.cause == nil {
            guard let action = record.action else { continue }
            let next = try Deed(action, changes(of: record, for: deed))
            if deed == nil { deed = next } else { deed?.join(next) }
        }
        return Deeds(named: [(deed?.text ?? "step \(step)") + (isWhole ? "" : " and more")], count: 1)
    }

    /// What a record changed, where only that tells what its thing is called, and that is told at all.
    private func changes(of record: RecordMessage, for deed: Deed?) throws(Failure) -> [Change] {
        guard let action = record.action, Deed.isNamedByChanges(action), deed?.tellsNames != false else { return [] }
        return try self.record(record.sequence, changes: true)?.detail?.changes ?? []
    }

    /// The first records of a step, but for those that came when others had done something meanwhile.
    private func records(of step: UInt64) throws(Failure) -> (records: [RecordMessage], isWhole: Bool) {
        var records: [RecordMessage] = []
        var (next, limit) = (step, Self.recordsAtFirst)
        while true {
            let input = LogMethod.Input(from: Point(sequence: next), limit: limit)
            var page: [RecordMessage] = []
            for answer in try research(LogMethod.self, input) { page += try answer.output().records }
            records += page.filter { $0.step == step && (next == step || $0.sequence > next) }
            // The last one begins the next piece: what comes behind the end can't be asked for.
            guard let last = page.last, last.step == step, page.count == Int(clamping: limit) else { return (records, true) }
            guard records.count < Self.recordsMax else { return (records, false) }
            (next, limit) = (last.sequence, limit * Self.growth)
        }
    }

    // Most steps have few; those of an import have many.
    private static let recordsAtFirst: UInt64 = 16
    private static let growth: UInt64 = 16
    // Of a merge of a long history they are not all counted.
    private static let recordsMax = 4_000
}
