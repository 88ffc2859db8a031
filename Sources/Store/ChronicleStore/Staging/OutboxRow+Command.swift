public import Chronicle
public import ChronicleLog

extension OutboxRow {
    /// The first row of a command.
    ///
    /// A delayed command starts at depth 0, so a timer may request itself forever. The rate of commands still bounds short delays.
    /// - Parameter depth: command ends between the record and a dispatch or a delayed command.
    public init(_ index: Int, _ policy: CommandPolicy?, askedBy header: RecordHeader, depth: UInt32) {
        self.init(
            id: CommandID(sequence: header.sequence, index: UInt32(index)), call: header.commands[index],
            due: policy?.due(at: header.time) ?? 0, step: header.step,
            origin: header.origin, depth: policy?.isDelayed == true ? 0 : depth, cancelID: policy?.cancelID ?? "",
            group: policy?.group ?? "")
        parkIfTooDeep()
    }

    /// The row of a command that is open in a base: it knows neither how the command is run nor when it was requested.
    /// - Parameter time: of the base.
    init(kept row: OutboxRow, _ policy: CommandPolicy?, at time: Int64) {
        self = row
        (cancelID, group, due) = (policy?.cancelID ?? "", policy?.group ?? "", policy?.due(at: time) ?? 0)
        parkIfTooDeep()
    }

    private mutating func parkIfTooDeep() {
        guard depth > Limits.commandDepthMax else { return }
        stage = .parked
        reason = "It was requested by the end of a command, which was requested by another end, \(depth) times in a row."
    }

    /// Replaces the call: the command gets a new id for its target and no attempts, and keeps its position, its due time and the reason for
    /// which it is parked.
    mutating func edit(to call: CommandCall, by record: UInt64, _ policy: CommandPolicy?) {
        (self.call, edited, attempts, waits, pieceBytes) = (call, record, 0, 0, 0)
        setProgress(0, 0, of: 0)
        (cancelID, group) = (policy?.cancelID ?? "", policy?.group ?? "")
    }

    mutating func setProgress(_ pieces: UInt32, _ done: UInt64, of total: UInt64) {
        (self.pieces, self.done, self.total) = (pieces, done, total)
    }
}

extension CommandPolicy {
    /// The due time of a command that is requested at a time; 0: at once.
    fileprivate func due(at time: Int64) -> Int64 { wait == .zero ? 0 : time.adding(clamping: wait.microseconds) }
}
