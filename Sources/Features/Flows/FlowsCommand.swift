public import Fields

extension Flows {
    /// The time that flows wait for.
    public enum Command: CasedCommand {
        /// Ends a flow once so many microseconds have passed, if it is still open.
        case timeOut(UInt64, after: Int64)
        /// Lets the time of a flow pass.
        case keep(UInt64)

        /// `flows.timeOut` or `flows.keep`.
        public static let feature = "flows"

        /// Due when the time is over, and taken back with the flow.
        public var policy: CommandPolicy {
            switch self {
            case .timeOut(let id, let microseconds): CommandPolicy(delay: .microseconds(microseconds), cancelID: "\(id)")
            case .keep(let id): CommandPolicy(cancelID: "\(id)", isCancellation: true)
            }
        }

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Command? {
            switch number {
            case 1: .timeOut(0, after: 0)
            case 2: .keep(0)
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .timeOut(var id, var microseconds):
                visitor.choose(1, "timeOut")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "microseconds", &microseconds)
                return .timeOut(id, after: microseconds)
            case .keep(var id):
                visitor.choose(2, "keep")
                try visitor.field(1, "id", &id, .needed)
                return .keep(id)
            }
        }
    }
}

extension Flow {
    /// What ends it in time, if it has a deadline.
    func timer(from now: Int64) -> [Flows.Command] {
        guard deadline != 0 else { return [] }
        let (rest, isPast) = deadline.subtractingReportingOverflow(now)
        return [.timeOut(id, after: isPast ? 0 : max(0, rest))]
    }

    /// What lets its deadline pass, if it has one.
    var timerEnd: [Flows.Command] { deadline == 0 ? [] : [.keep(id)] }
}
