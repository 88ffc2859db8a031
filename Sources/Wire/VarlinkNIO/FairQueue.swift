/// What waits, in turns of users: each who has something waiting gets one of it in before anybody gets a second.
struct FairQueue<Element> {
    private var waiting: [UInt32: [Element]] = [:]
    private var turns: [UInt32] = []

    /// Puts something at the end of what a user has waiting.
    mutating func add(_ element: Element, of user: UInt32) {
        if waiting[user] == nil { turns.append(user) }
        waiting[user, default: []].append(element)
    }

    /// Takes out what comes next.
    mutating func next() -> Element? {
        guard !turns.isEmpty else { return nil }
        let user = turns.removeFirst()
        let element = waiting[user]?.removeFirst()
        if waiting[user]?.isEmpty ?? true {
            waiting[user] = nil
        } else {
            turns.append(user)
        }
        return element
    }
}
