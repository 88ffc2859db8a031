public import Chronicle
public import ChronicleLog

extension OutboxRow {
    /// The first row of a command.
    ///
    /// A delayed command starts at depth 0, so a timer may request itself forever. The rate of commands still bounds short delays.
    /// - Parameter depth: command ends between the record and a dispatch or a delayed command.
    public init(_ index: Int, _ policy: CommandPolicy?, askedBy header: RecordHeader, depth: UInt32) {
        let delay = policy?.wait ?? .zero
        self.init(
            id: CommandID(sequence: header.sequence, index: UInt32(index)), call: header.commands[index],
            due: delay == .zero ? 0 : header.time.adding(clamping: delay.microseconds), step: header.step,
            origin: header.origin, depth: policy?.isDelayed == true ? 0 : depth, cancelID: policy?.cancelID ?? "",
            group: policy?.group ?? "")
        parkIfTooDeep()
    }

    mutating func parkIfTooDeep() {
        guard depth > Limits.commandDepthMax else { return }
        stage = .parked
        reason = "It was asked for by the end of a command, that one by another end, \(depth) times over."
    }
}
