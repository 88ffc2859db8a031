/// Who has a place at the server: connections on which the token was shown, and a few others.
///
/// Everybody on the machine can connect, so those without the token have places of their own, and can keep none from who has it.
/// A browser that fetches the page is without it, too, but asks one thing after the other, so of those the silent ones go first.
struct Places<Connection: Equatable> {
    private var known: [Connection] = []
    /// Those without the token, the one first that has done nothing for longest.
    private var strangers: [Connection] = []
    private let knownMax: Int
    private let strangersMax: Int

    init(knownMax: Int, strangersMax: Int) { (self.knownMax, self.strangersMax) = (knownMax, strangersMax) }

    /// Gives a new connection a place; returns the one that has to go for it.
    mutating func enter(_ connection: Connection) -> Connection? {
        strangers.append(connection)
        return strangers.count > strangersMax ? strangers.removeFirst() : nil
    }

    /// Notes that a connection has asked something.
    mutating func ask(_ connection: Connection) {
        guard let index = strangers.firstIndex(of: connection) else { return }
        strangers.append(strangers.remove(at: index))
    }

    /// Gives a connection that showed the token a place among those that did; false: there is none.
    mutating func show(_ connection: Connection) -> Bool {
        if known.contains(connection) { return true }
        guard known.count < knownMax, let index = strangers.firstIndex(of: connection) else { return false }
        known.append(strangers.remove(at: index))
        return true
    }

    /// Gives the place of a connection back, if it has one.
    mutating func leave(_ connection: Connection) {
        known.removeAll { $0 == connection }
        strangers.removeAll { $0 == connection }
    }
}
