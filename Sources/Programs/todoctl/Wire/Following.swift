import TodoAPI

/// How far a verb has followed the log, so that it can go on there after the daemon was away.
struct Following {
    private(set) var epoch: UInt64?
    private(set) var sequence: UInt64?

    init(epoch: UInt64? = nil) { self.epoch = epoch }

    /// Takes note of a reply; true when it is of another log than the one before it.
    mutating func reach(_ reply: SubscribeMethod.Output) -> Bool {
        defer { (epoch, sequence) = (reply.epoch, reply.sequence) }
        return epoch != nil && epoch != reply.epoch
    }

    /// Where the log goes on behind the last record that was seen.
    var next: Point? { sequence.map { Point(sequence: $0 + 1) } }

    /// The epoch that a daemon names in the error that it is not the one which was followed.
    static func changedEpoch(_ failure: Failure) -> UInt64? {
        if case .epochChanged(let epoch) = failure.known { epoch } else { nil }
    }

    /// An error with what it means to who waited for something, if it says that the log is another one now.
    static func explained(_ failure: Failure, _ remedy: String) -> Failure {
        guard let epoch = changedEpoch(failure) else { return failure }
        var failure = failure
        failure.message = "The log was restored or copied meanwhile: it is in epoch \(epoch) now. \(remedy)"
        return failure
    }

    /// Says that the log is another one.
    static func tellChange(to epoch: UInt64) {
        Output.complain("The log was restored or copied meanwhile: it is in epoch \(epoch) now. What follows is of that one.")
    }
}
