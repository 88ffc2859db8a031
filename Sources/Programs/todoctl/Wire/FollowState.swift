import TodoAPI

/// How far a verb has followed the log, for resuming.
struct FollowState {
    private(set) var epoch: UInt64?
    private(set) var sequence: UInt64?

    init(epoch: UInt64? = nil) { self.epoch = epoch }

    /// Records the position of a reply; true if the log has changed since the previous reply.
    mutating func reach(_ reply: SubscribeMethod.Output) -> Bool {
        defer { (epoch, sequence) = (reply.epoch, reply.sequence) }
        return epoch != nil && epoch != reply.epoch
    }

    var next: Point? { sequence.map { Point(sequence: $0 + 1) } }

    static func changedEpoch(_ failure: Failure) -> UInt64? {
        if case .epochChanged(let epoch) = failure.known { epoch } else { nil }
    }

    /// Replaces the failure for a changed epoch by one with a remedy.
    static func explained(_ failure: Failure, _ remedy: String) -> Failure {
        guard let epoch = changedEpoch(failure) else { return failure }
        var failure = failure
        failure.message = "The log was restored or copied: it is now in epoch \(epoch). \(remedy)"
        return failure
    }

    static func tellChange(to epoch: UInt64) {
        Output.complain("The log was restored or copied: it is now in epoch \(epoch). The following output belongs to it.")
    }
}
