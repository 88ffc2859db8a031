public import Varlink

/// The descriptions of `org.todod.Admin`, `org.todod.History` and `org.todod.Store`, each ending in one line feed.
public enum Interfaces {
    /// The last line of the comment of a field that the daemon fills in, so that forms do not ask for it.
    public static let filledIn = "Filled in by the daemon."
}

/// The release that this code belongs to.
public enum Release {
    /// Its version, as `--version` and the daemon's status show it.
    public static let version = "0.1.0"
}

/// The right that a method needs.
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
