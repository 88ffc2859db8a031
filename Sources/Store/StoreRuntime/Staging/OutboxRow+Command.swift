public import Records
public import Reducing

extension OutboxRow {
    /// How a command of a record stands at first; without a policy, as if it had none.
    ///
    /// - Parameter depth: how many ends of commands lie between the record and what a person dispatched.
    public init(_ index: Int, _ policy: CommandPolicy?, askedBy header: RecordHeader, depth: UInt32) {
        let delay = policy?.wait ?? .zero
        self.init(
            id: CommandID(sequence: header.sequence, index: UInt32(index)), call: header.commands[index],
            due: delay == .zero ? 0 : header.time.adding(clamping: delay.microseconds), step: header.step,
            origin: header.origin, depth: depth, cancelID: policy?.cancelID ?? "", group: policy?.group ?? "")
        parkIfTooDeep()
    }

    /// Parks it, where too many ends of commands led to it.
    mutating func parkIfTooDeep() {
        guard depth > Limits.commandDepthMax else { return }
        stage = .parked
        reason = "It was asked for by the end of a command, that one by another end, \(depth) times over."
    }
}
