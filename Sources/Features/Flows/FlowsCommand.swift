public import Chronicle

extension Flows.Command {
    /// A timer that is cancelled with its flow.
    public var policy: CommandPolicy {
        switch self {
        case .timeOut(let id, let microseconds): CommandPolicy(delay: .microseconds(microseconds), cancelID: "\(id)")
        case .keep(let id): CommandPolicy(cancelID: "\(id)", isCancellation: true)
        }
    }
}

extension Flow {
    /// Starts the timer of the deadline, if any.
    func timer(from now: Int64) -> [Flows.Command] {
        guard deadline != 0 else { return [] }
        let (rest, isPast) = deadline.subtractingReportingOverflow(now)
        return [.timeOut(id, after: isPast ? 0 : max(0, rest))]
    }

    /// Cancels the timer of the deadline, if any.
    var timerEnd: [Flows.Command] { deadline == 0 ? [] : [.keep(id)] }
}
