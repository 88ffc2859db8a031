/// The places of queries that run or wait for their turn: so many in all, and so many of each uid.
///
/// Who begins gets one or is refused. Who goes on with an answer waits for one, however many others have: what has begun ends.
struct QueryPlaces {
    /// Gets whether there is a place; `false`: nobody waits for it any more.
    typealias Waiter = CheckedContinuation<Bool, Never>

    private var count = 0
    private var ofAsker: [UInt32?: Int] = [:]
    // In the order in which they came.
    private var waiting: [(asker: UInt32?, number: UInt64, waiter: Waiter)] = []

    /// Takes a place for somebody who begins, if there is one.
    mutating func begin(
        _ asker: UInt32?, max: Int = Limits.queriesMax, ofAskerMax: Int = Limits.queriesOfAskerMax
    ) -> Bool {
        guard count < max, ofAsker[asker, default: 0] < ofAskerMax else { return false }
        take(asker)
        return true
    }

    /// Takes a place for somebody who goes on if one of the uid's is free, or else lets them wait.
    mutating func goOn(_ asker: UInt32?, _ number: UInt64, _ waiter: Waiter) -> Waiter? {
        guard ofAsker[asker, default: 0] < Limits.queriesOfAskerMax else {
            waiting.append((asker, number, waiter))
            return nil
        }
        take(asker)
        return waiter
    }

    /// Lets somebody go who waits.
    mutating func leave(_ number: UInt64) -> Waiter? {
        waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0).waiter }
    }

    /// Frees a place, or hands it to who has waited longest for one of that uid.
    mutating func end(_ asker: UInt32?) -> Waiter? {
        if let next = waiting.firstIndex(where: { $0.asker == asker }) { return waiting.remove(at: next).waiter }
        count -= 1
        let left = ofAsker[asker, default: 1] - 1
        ofAsker[asker] = left == 0 ? nil : left
        return nil
    }

    private mutating func take(_ asker: UInt32?) {
        count += 1
        ofAsker[asker, default: 0] += 1
    }
}
