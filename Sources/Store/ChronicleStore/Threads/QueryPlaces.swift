/// Limits how many queries of each uid run or are queued.
///
/// A new query is admitted or refused. A query that continues an answer waits instead, so that every answer can end.
struct QueryPlaces {
    /// Resumed with whether the query is admitted; `false` if it no longer waits.
    typealias Waiter = CheckedContinuation<Bool, Never>

    private var ofAsker: [UInt32?: Int] = [:]
    private var waiting: [(asker: UInt32?, number: UInt64, waiter: Waiter)] = []

    /// Admits a new query of a uid that has fewer than `max`, or returns false.
    mutating func begin(_ asker: UInt32?, max: Int) -> Bool {
        guard ofAsker[asker, default: 0] < max else { return false }
        ofAsker[asker, default: 0] += 1
        return true
    }

    /// Returns the waiter if its uid has a free place, or else queues it.
    mutating func goOn(_ asker: UInt32?, _ number: UInt64, _ waiter: Waiter) -> Waiter? {
        guard ofAsker[asker, default: 0] < Limits.queriesOfAskerMax else {
            waiting.append((asker, number, waiter))
            return nil
        }
        ofAsker[asker, default: 0] += 1
        return waiter
    }

    mutating func leave(_ number: UInt64) -> Waiter? {
        waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0).waiter }
    }

    /// Frees a place, or hands it to the longest waiter of that uid.
    mutating func end(_ asker: UInt32?) -> Waiter? {
        if let next = waiting.firstIndex(where: { $0.asker == asker }) { return waiting.remove(at: next).waiter }
        let left = ofAsker[asker, default: 1] - 1
        ofAsker[asker] = left == 0 ? nil : left
        return nil
    }
}
