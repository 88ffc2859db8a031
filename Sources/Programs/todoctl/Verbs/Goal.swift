import Glibc
import TodoAPI

/// A condition that somebody waits for, and how long.
final class Goal {
    private let condition: String
    // When the wait is over, in microseconds.
    private let deadline: Int64?
    private let session: Session
    // Whether it holds is asked while the other connection streams.
    private let asking: Client
    // The last record when the wait began.
    private var head: UInt64 = 0
    /// Whether it held when the time was over, by what is not watched.
    private(set) var holdsAtLast = false

    /// - Parameter timeout: microseconds to wait at most; `nil`: as long as it takes.
    init(_ condition: String, timeout: Int64?, session: Session) throws(Failure) {
        self.condition = condition
        self.session = session
        deadline = timeout.map { Clock.uptime() + $0 }
        asking = try session.client.another(patience: Client.followingPatience)
    }

    /// Has a stream end when the time is over; what is wrong with the condition is told at once.
    ///
    /// - Parameter fromPast: whether the past is played before the newest state comes, which takes its time.
    func begin(fromPast: Bool) throws(Failure) {
        head = try asking.call(PingMethod.self, NoFields()).sequence
        let holds = try holds(in: .init(expression: condition, from: .now))
        // One that holds already is reached with the first state, however long that takes to come.
        guard deadline != nil, !holds || fromPast else { return }
        session.client.whileWaiting = { descriptor throws(Failure) in try self.wait(on: descriptor) }
    }

    /// Whether a state of the past is none: it was the newest when the wait began, or is newer.
    func isNewest(_ sequence: UInt64) -> Bool { sequence >= head }

    func end() { session.client.whileWaiting = nil }

    /// Whether the condition holds after a record.
    ///
    /// - Throws: when it does not, and the time is over.
    func isReached(at sequence: UInt64) throws(Failure) -> Bool {
        let point = Point(sequence: sequence)
        if try holds(in: .init(expression: condition, from: point, to: point)) { return true }
        if let deadline, Clock.uptime() >= deadline { throw try late() }
        return false
    }

    private func holds(in moments: CheckMethod.Input) throws(Failure) -> Bool {
        do throws(Failure) {
            return try asking.call(CheckMethod.self, moments).violations == []
        } catch {
            // The log was compacted since: what stays of it begins with a newer state.
            guard case .prunedSequence = error.known else { throw error }
            return try asking.call(CheckMethod.self, .init(expression: condition, from: .now)).violations == []
        }
    }

    private func wait(on descriptor: Int32) throws(Failure) {
        guard let deadline else { return }
        var next = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let milliseconds = (max(0, deadline - Clock.uptime()) + 999) / 1_000
            if poll(&next, 1, Int32(clamping: milliseconds)) > 0 { return }
            if Clock.uptime() >= deadline { throw try late() }
        }
    }

    /// What ends the wait: what is watched may be as it was, and the condition hold by something else.
    private func late() throws(Failure) -> Failure {
        session.output.flush()
        holdsAtLast = try holds(in: .init(expression: condition, from: .now))
        return Failure(.refused, "The condition did not come to hold in time.")
    }
}
