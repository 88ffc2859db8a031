import TodoAPI
import Varlink

/// Why a verb ends without having done what was asked, with its exit code.
struct Failure: Error, Equatable {
    /// The exit codes that scripts can rely on; 64 and up are those of sysexits.h.
    enum Code: Int32 {
        /// Refused by a rule.
        case refused = 1
        /// The command line or its JSON is wrong.
        case usage = 64
        /// Damaged data.
        case damaged = 65
        /// The daemon is not reachable.
        case unreachable = 69
        /// Input or output failed.
        case inputOutput = 74
        /// Try again.
        case tryAgain = 75
        /// Not permitted.
        case notPermitted = 77
        /// Configuration.
        case configuration = 78
    }

    var code: Code
    /// What was tried and what to do, for a person; may have several lines.
    var message: String
    /// The daemon's error, if it was one.
    var error: String?
    /// The parameters of the daemon's error.
    var parameters: [JSON.Member] = []

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The daemon answered with an error.
    init(error: String, parameters: [JSON.Member], socket: String) {
        self.error = error
        self.parameters = parameters
        let short = error.split(separator: ".").last.map(String.init) ?? error
        code = Failure.code(of: error, short: short)
        let said = parameters.first { $0.name == "message" }?.value.string
        switch short {
        case "PermissionDenied":
            message =
                "The daemon at \(socket) does not let you do this. "
                + "Its TODOD_ALLOW says who may read (r), write (w) and administer (a)."
        case "InvalidParameter":
            let name = parameters.first { $0.name == "parameter" }?.value.string ?? "?"
            message = "The daemon does not know the parameter \(Visible.text(name)), or it is missing or of another type."
        case "MethodNotFound", "InterfaceNotFound", "MethodNotImplemented", "ExpectedMore":
            let which = parameters.first.flatMap(\.value.string).map { " " + Visible.text($0) } ?? ""
            let kind = short == "InterfaceNotFound" ? "interface" : "method"
            message = short == "ExpectedMore" ? "This method streams: add --more." : "The daemon has no such \(kind):\(which)."
        case "BadAction":
            let path = parameters.first { $0.name == "path" }?.value.string ?? ""
            message = (path.isEmpty ? "" : Visible.text(path) + ": ") + Visible.text(said ?? short)
        case "BadExpression":
            let column = parameters.first { $0.name == "column" }?.value.int ?? 0
            message = "Column \(column): \(Visible.text(said ?? short))."
        default:
            message = said.map(Visible.text) ?? "The daemon answered \(Visible.text(error))."
        }
        if let remedy = Failure.remedy(for: short) { message += "\n" + remedy }
    }

    /// The answer to a call that must not be repeated was lost; `question` says how to find out what came of it.
    static func unknown(_ loss: Failure, _ question: String) -> Failure {
        var failure = loss
        failure.message = "The answer was lost, so whether this was done is unknown. To find out: \(question)"
        return failure
    }

    /// The index in the batch of the action that a rule refused.
    var action: Int? { parameters.first { $0.name == "action" }?.value.int.map(Int.init(clamping:)) }

    private static func code(of error: String, short: String) -> Code {
        switch short {
        case "PermissionDenied", "BackupRefused": .notPermitted
        case "BadAction", "UnknownFeature", "UnknownScope", "KeyTooLong", "AnswerTooLarge", "UnknownStep", "BadBookmark",
            "BadExpression", "EmptyRange":
            .usage
        case "DamagedRecord": .damaged
        case "StorageFull", "OutcomeUnknown", "Unreadable": .inputOutput
        case "StoreBusy", "QueryBusy", "TooManyConnections", "Stopping", "Overtaken": .tryAgain
        default: error.hasPrefix("org.varlink.service.") ? .usage : .refused
        }
    }

    /// Whether the daemon may answer otherwise a moment later.
    var isPassing: Bool {
        guard let error else { return false }
        return endsConnection || ["StoreBusy", "QueryBusy"].contains { error.hasSuffix("." + $0) }
    }

    /// Whether it may have been done all the same.
    var isVague: Bool {
        guard let error else { return false }
        return ["Stopping", "OutcomeUnknown"].contains { error.hasSuffix("." + $0) }
    }

    /// Whether the daemon goes away, so that another connection is needed.
    var endsConnection: Bool {
        guard let error else { return false }
        return ["TooManyConnections", "Stopping", "OutcomeUnknown"].contains { error.hasSuffix("." + $0) }
    }
}
