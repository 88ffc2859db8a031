import Glibc
import TodoAPI

/// A condition to wait for, with a timeout.
final class AwaitedCondition {
    private let condition: String
    // The end of the wait, in microseconds.
    private let deadline: Int64?
    private let session: Session
    // Evaluates the condition while the other connection streams.
    private let asking: Client
    // The last record when the wait began.
    private var head: UInt64 = 0
    /// Whether the condition held at the timeout because of state that is not watched.
    private(set) var holdsAtLast = false

    /// - Parameter timeout: the maximum wait in microseconds; `nil` for no limit.
    init(_ condition: String, timeout: Int64?, session: Session) throws(Failure) {
        self.condition = condition
        self.session = session
        deadline = timeout.map { Clock.uptime() + $0 }
        asking = try session.client.another(patience: Client.followingPatience)
    }

    /// Ends a stream at the timeout, and refuses an invalid condition at once.
    ///
    /// - Parameter fromPast: whether the past is played before the newest state, which can take long.
    func begin(fromPast: Bool) throws(Failure) {
        head = try asking.call(PingMethod.self, NoFields()).sequence
        let holds = try holds(in: .init(question: .violations, expression: condition, from: .now))
        // A condition that holds already is reached with the first state, however late it arrives.
        guard deadline != nil, !holds || fromPast else { return }
        session.client.whileWaiting = { descriptor throws(Failure) in try self.wait(on: descriptor) }
    }

    /// Whether a state is not from the past: it was the newest one when the wait began, or is newer.
    func isNewest(_ sequence: UInt64) -> Bool { sequence >= head }

    func end() { session.client.whileWaiting = nil }

    /// Whether the condition holds after a record.
    ///
    /// - Throws: if it does not hold and the wait has timed out.
    func isReached(at sequence: UInt64) throws(Failure) -> Bool {
        let point = Point(sequence: sequence)
        if try holds(in: .init(question: .violations, expression: condition, from: point, to: point)) { return true }
        if let deadline, Clock.uptime() >= deadline { throw try late() }
        return false
    }

    private func holds(in moments: ScanMethod.Input) throws(Failure) -> Bool {
        do throws(Failure) {
            return try asking.call(ScanMethod.self, moments).violations == []
        } catch {
            // The log was compacted since, so it begins with a newer state.
            guard case .prunedSequence = error.known else { throw error }
            return try asking.call(ScanMethod.self, .init(question: .violations, expression: condition, from: .now)).violations
                == []
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

    /// Ends the wait; the condition may hold because of state that is not watched.
    private func late() throws(Failure) -> Failure {
        session.output.flush()
        holdsAtLast = try holds(in: .init(question: .violations, expression: condition, from: .now))
        return Failure(.refused, "Timed out: the condition is still false.")
    }
}
