import TodoAPI

extension Failure {
    /// The exit statuses; 64 and above are from sysexits.h.
    enum Code: Int32, CaseIterable {
        case refused = 1
        case usage = 64
        case damaged = 65
        case unreachable = 69
        case inputOutput = 74
        case tryAgain = 75
        case notPermitted = 77
        /// Invalid configuration of the user.
        case configuration = 78

        /// The status for the full name of an error.
        init(ofError name: String) {
            self =
                switch name.hasPrefix(APIError.featurePrefix) ? "" : Failure.short(name) {
                case "PermissionDenied", "BackupRefused": .notPermitted
                case "BadAction", "BadArguments", "UnknownFeature", "UnknownAction", "UnknownScope", "KeyTooLong",
                    "AnswerTooLarge", "UnknownStep", "BadBookmark", "BadFork",
                    "BadExpression", "EmptyRange":
                    .usage
                case "DamagedRecord": .damaged
                case "StorageFull", "OutcomeUnknown", "Unreadable": .inputOutput
                case "StoreBusy", "QueryBusy", "TooManyConnections", "Stopping", "Overtaken", "Locked", "Unavailable": .tryAgain
                default: name.hasPrefix("org.varlink.service.") ? .usage : .refused
                }
        }

        /// The meaning, also used by the manual.
        var sentence: String {
            switch self {
            case .refused:
                "A rule or the user refused it, a condition does not hold, or something was not found."
            case .usage:
                "The command line or its JSON is invalid or names an unknown step; or there is no terminal for a question, and "
                    + "--yes was not given."
            case .damaged: "A record or other stored data is damaged."
            case .unreachable: "The daemon is not reachable."
            case .inputOutput: "The disk or another device failed or is full, or the outcome of a change is unknown."
            case .tryAgain:
                "The daemon does not answer, is overloaded, stopping or locked; the cluster accepts no writes; the log was compacted "
                    + "during a check; a program run by follow failed; or the deadline of a question passed. Try again."
            case .notPermitted: "Not permitted; or a backup's directory is not empty, or is a symbolic link."
            case .configuration: "The file todoctl.toml is invalid."
            }
        }
    }
}
