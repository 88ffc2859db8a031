internal import Chronicle
public import Varlink

/// The descriptions of `org.todod.Admin`, `org.todod.History` and `org.todod.Store`, each ending in one line feed.
public enum Interfaces {
    /// The last line of the comment of a field that the daemon fills in, so that forms do not ask for it.
    public static let filledIn = "Filled in by the daemon."
}

/// The release that this code belongs to.
public enum Release {
    public static let version = "0.1.0"
}

public enum MethodRight: String, Sendable, CaseIterable {
    /// To read the state, the log and the daemon's status.
    case read = "r"
    /// To dispatch actions, to undo them, and to retry, skip or cancel commands.
    case write = "w"
    /// To change what was recorded or how the daemon works, and to write files for it.
    case administer = "a"
}

extension KnownMethod {
    /// The right that a call with these parameters needs: ``right``, but for edits of commands the right to administer.
    public func right(for parameters: [Value.Field]) -> MethodRight {
        let isEdit = self == .changeCommand && parameters["operation"]?.text == ChangeCommandMethod.Input.Operation.edit.rawValue
        return isEdit ? .administer : right
    }
}

/// An ability of a daemon that the descriptions of its interfaces do not show; the interface describes each, beside `capabilities`.
public enum Capability: String, Sendable, CaseIterable {
    case writable
    case durable
    case lastingKeys = "keys.lasting"
    case textConditions = "conditions.contains"
}

// The maximum lengths of texts are in UTF-8 bytes. Tests compare the limits with those of the log and of the search.

extension LogMethod { public static let searchBytesMax = 65_536 }

extension ScanMethod { public static let bucketsMax: UInt64 = 1_000 }

extension RedactTextsMethod {
    /// Maximum number of records of one call.
    ///
    /// Each call replays all later records, and many small calls would take quadratic time. All records change in one transaction, which
    /// blocks dispatches.
    public static let sequencesMax = 4_096
}

extension LockMethod { public static let reasonBytesMax = 1_024 }

extension SetInvariantMethod { public static let (nameBytesMax, expressionBytesMax) = (64, 512) }

extension SubscribeMethod { public static let actionsMax = 64 }

extension UndoMethod { public static let stepsMax = 1_000 }

extension CompactMethod { public static let forgetKeysDaysMax: UInt64 = 36_525 }

extension DebugTailMethod.Output {
    /// Maximum size of the lines, and of the action, of one reply, in bytes.
    private static let partBytesMax = 512 << 10

    /// The same reply without parts that are too large: the last lines, and the payload of the action.
    public func fitting() -> Self {
        var (output, bytes) = (self, 0)
        output.lines = Array(
            lines.prefix { line in
                bytes += Value.text(line).description.utf8.count + 1
                return bytes <= Self.partBytesMax
            })
        if output.lines.count < lines.count { output.linesLeftOut = UInt64(lines.count - output.lines.count) }
        if action.description.utf8.count > Self.partBytesMax, let name = caseName {
            output.action = .record([.init(feature, .record([.init(name, [:])]))])
            output.cut = true
        }
        return output
    }

    /// The name of the action, such as `todos.add`, or of the feature if the action has none.
    public var actionName: String { caseName.map { "\(feature).\($0)" } ?? feature }
    private var caseName: String? { if case .record(let actions) = action[feature] { actions.first?.name } else { nil } }
}

/// The exit statuses of the daemon: the numbers of `sysexits.h`, each with one meaning.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    case stopped = 0
    case usage = 64
    case damagedData = 65
    case software = 70
    case inputOutput = 74
    case tryAgain = 75
    case notPermitted = 77
    case configuration = 78

    public var sentence: String {
        switch self {
        case .stopped: "Stopped as asked."
        case .usage: "The command line is wrong."
        case .damagedData:
            "The log is damaged, and the sequence of the first damaged record is named; or a history to be replayed is invalid or damaged."
        case .software: "A part of the daemon ended that must not; systemd starts the daemon again."
        case .inputOutput:
            "The machine failed: the disk has failed or is full, or there are no descriptors left; systemd starts the daemon again."
        case .tryAgain:
            "Another daemon uses the directory, and its process is named; or a log that several machines share is to be founded or "
                + "joined, and the cluster does not answer; systemd starts the daemon again."
        case .notPermitted:
            "A directory or a file is not writable, is writable by other users, is a symbolic link, has more than one hard link, or "
                + "should be empty but is not; systemd does not start the daemon again."
        case .configuration:
            "The configuration is wrong, there is no log in the directory that is to be read, or a file with a state or a history "
                + "can't be read; or the log is no copy of the one that the cluster has, another machine is called as this one, or the "
                + "cluster refuses the user, the password or the certificate; systemd does not start the daemon again."
        }
    }
}
