import Chronicle
import ChronicleLog
import ChronicleStore

/// The commands of a record in the log and in the altered history.
struct CommandDiff<App: Feature> where App.Command: CanonicalCodable {
    var place: Place
    var time: Int64
    var origin: UInt32
    /// Number of unlogged ends of commands between this and a record.
    var depth: UInt32 = 0
    /// Only in the log.
    private(set) var lost: [(index: UInt32, call: CommandCall)] = []
    private(set) var kept: [(index: UInt32, command: App.Command)] = []
    /// Only in the altered history.
    private(set) var new: [(index: Int, command: App.Command)] = []

    /// Compares commands by name and arguments, except presentational ones, which no runner executes.
    mutating func compare(_ calls: [CommandCall], with commands: [App.Command]) {
        lost = calls.enumerated().filter { !$1.presentational }.map { (UInt32($0), $1) }
        for (index, command) in commands.enumerated() where !command.isPresentational {
            let call = CommandCall(command)
            if let match = lost.firstIndex(where: { $0.call == call }) {
                kept.append((lost.remove(at: match).index, command))
            } else {
                new.append((index, command))
            }
        }
    }

    var isEmpty: Bool { lost.isEmpty && kept.isEmpty && new.isEmpty }

    /// Whether it can displace a command in only one of the histories.
    var displacesApart: Bool {
        new.contains { $0.command.policy.cancelID != nil }
            || lost.contains { Self.command(of: $0.call)?.policy.cancelID != nil }
    }

    var displaces: Bool { displacesApart || kept.contains { $0.command.policy.cancelID != nil } }

    static func command(of call: CommandCall) -> App.Command? { try? App.Command(canonical: call.arguments) }
}
