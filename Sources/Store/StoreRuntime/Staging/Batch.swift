import Records
import Reducing

/// What one dispatch, or one end of a command, has staged so far.
struct Batch<App: Feature> {
    /// What a batch brings about besides its own records.
    enum FollowUp {
        /// A command has ended because a later one took its place, or took it back.
        case displaced(OpenCommand<App.Command>, CommandEnd)
        /// A command was asked for too deep down.
        case parked(OpenCommand<App.Command>)
    }

    private(set) var sequences: Range<UInt64>
    private(set) var ids: [UInt64] = []
    /// Of what its actions would have made and was there already.
    var existing: [UInt64] = []
    var commands: [App.Command] = []
    /// Elements of the state that its actions looked at.
    var cost = 0
    /// Records that it may have.
    var recordsMax = Limits.batchRecordsMax
    /// Records that are not its own, behind those.
    var followUpCount = 0
    var followUps: [FollowUp] = []
    /// Whether what is staged now is what a parked command tells.
    var tellsParked = false
    private var nextIndex = 0

    init(first: UInt64) { sequences = first..<first }

    var count: Int { sequences.count }

    /// Those of its commands that the runner has in the end: a later one takes the place of an earlier one of its `cancelID`.
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

    /// What is to be staged next, until nothing is left.
    mutating func nextFollowUp() -> FollowUp? {
        guard nextIndex < followUps.count else { return nil }
        defer { nextIndex += 1 }
        return followUps[nextIndex]
    }
}
