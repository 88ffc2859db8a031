/// Limits how many queries of each uid run or are queued.
///
/// A new query gets a place or is refused. A query that continues an answer waits for a place instead, so an answer that has begun can end.
struct QueryPlaces {
    /// Gets whether there is a place; `false`: nobody waits for it any more.
    typealias Waiter = CheckedContinuation<Bool, Never>

    private var ofAsker: [UInt32?: Int] = [:]
    // In the order in which they came.
    private var waiting: [(asker: UInt32?, number: UInt64, waiter: Waiter)] = []

    /// Takes a place for a new query of a uid that has fewer than `max`, or returns false.
    mutating func begin(_ asker: UInt32?, max: Int) -> Bool {
        guard ofAsker[asker, default: 0] < max else { return false }
        ofAsker[asker, default: 0] += 1
        return true
    }

    /// Takes a place for somebody who goes on if one of the uid's is free, or else lets them wait.
    mutating func goOn(_ asker: UInt32?, _ number: UInt64, _ waiter: Waiter) -> Waiter? {
        guard ofAsker[asker, default: 0] < Limits.queriesOfAskerMax else {
            waiting.append((asker, number, waiter))
            return nil
        }
        ofAsker[asker, default: 0] += 1
        return waiter
    }

    /// Lets somebody go who waits.
    mutating func leave(_ number: UInt64) -> Waiter? {
        waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0).waiter }
    }

    /// Frees a place, or hands it to who has waited longest for one of that uid.
    mutating func end(_ asker: UInt32?) -> Waiter? {
        if let next = waiting.firstIndex(where: { $0.asker == asker }) { return waiting.remove(at: next).waiter }
        let left = ofAsker[asker, default: 1] - 1
        ofAsker[asker] = left == 0 ? nil : left
        return nil
    }
}
