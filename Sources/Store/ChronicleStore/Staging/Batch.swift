import Chronicle
import ChronicleLog

struct Batch<App: Feature> {
    /// An effect of a batch besides its own records.
    enum FollowUp {
        /// A later command displaced or cancelled this command.
        case displaced(OpenCommand<App.Command>, CommandEnd)
        /// The command was requested too deep in a chain of commands.
        case parked(OpenCommand<App.Command>)
    }

    private(set) var sequences: Range<UInt64>
    private(set) var ids: [UInt64] = []
    /// Ids of objects that its actions would have created and that existed already.
    var existing: [UInt64] = []
    var commands: [App.Command] = []
    /// State elements that its actions examined.
    var cost = 0
    var recordsMax = Limits.batchRecordsMax
    var followUpCount = 0
    var followUps: [FollowUp] = []
    /// Whether the records being staged report a parked command.
    var tellsParked = false
    private var nextIndex = 0

    init(first: UInt64) { sequences = first..<first }

    var count: Int { sequences.count }

    /// The commands that reach the runner: a later one displaces an earlier one with the same `cancelID`.
    var standingCommands: [App.Command] {
        var later: Set<String> = []
        return commands.reversed().filter { command in
            !command.isPresentational && (command.policy.cancelID.map { later.insert($0).inserted } ?? true)
        }.reversed()
    }

    mutating func note(_ created: [UInt64]) {
        sequences = sequences.lowerBound..<sequences.upperBound + 1
        if !created.isEmpty { ids += created }
    }

    /// The next effect to stage; `nil` when none is left.
    mutating func nextFollowUp() -> FollowUp? {
        guard nextIndex < followUps.count else { return nil }
        defer { nextIndex += 1 }
        return followUps[nextIndex]
    }
}
