import Chronicle
import Glibc
import TodoAPI
import TodoClient
import Varlink

/// Why a verb failed, with its exit status.
struct Failure: Error, Equatable {
    var code: Code
    /// The problem and the remedy; may have several lines.
    var message: String
    /// The daemon's error with todod's prefix.
    var error: CallError?
    var names = InterfaceNames()

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: CallError, socket: String, names: InterfaceNames = InterfaceNames()) {
        (self.error, self.names) = (error, names)
        let short = Failure.short(error.name)
        code = Code(ofError: error.name)
        let said = error.parameters["message"]?.text
        switch (APIError(error), short) {
        case (.invalidParameter(let name), _) where name.hasPrefix(Failure.tooLong):
            message =
                "That is more than the daemon takes in one call, \(Visible.text(String(name.dropFirst(Failure.tooLong.count)))).\n"
                + "Send it in parts; with --step they are one step: todoctl dispatch --help"
            return
        case (.permissionDenied, _):
            message =
                "The daemon at \(Visible.text(socket)) does not let you do this. "
                + "Its setting ALLOW says who may read (r), write (w) and administer (a)."
        case (.invalidParameter(let name), _):
            message = "The daemon does not know the parameter \(Visible.text(name)), or it is missing or of another type."
        case (.expectedMore, _): message = "This method streams: add --more."
        case (_, "MethodNotFound"), (_, "InterfaceNotFound"), (_, "MethodNotImplemented"):
            let which = error.parameters.first.flatMap(\.value.text).map { " " + Visible.text($0) } ?? ""
            message = "The daemon has no such \(short == "InterfaceNotFound" ? "interface" : "method"):\(which)."
        // The message of a feature is the rest of a sentence.
        case (.refused(let refusal, _), _):
            let said = Visible.text(refusal.message)
            message = said.prefix(1).uppercased() + said.dropFirst() + (said.last.map { ".?!".contains($0) } == true ? "" : ".")
        case (.badAction(let said, _, let path), _), (.badArguments(let said, _, let path), _):
            message = (path.isEmpty ? "" : Visible.text(path) + ": ") + Visible.text(said)
        case (.badExpression(let said, let column), _):
            message = "Column \(column): \(Visible.text(said))" + (said.hasSuffix("?") ? "" : ".")
        default: message = said.map(Visible.text) ?? "The daemon answered \(Visible.text(error.name))."
        }
        if let remedy = Failure.remedies[short] { message += "\n" + remedy }
    }

    /// The reply to a call that must not be repeated was lost; `question` says how to find out the result.
    static func unknown(_ loss: Failure, _ question: String) -> Failure {
        var failure = loss
        failure.message = "The answer was lost, so whether this was done is unknown. To find out: \(question)"
        return failure
    }

    /// The reply to a call was lost, and the repeated call did not resolve the outcome.
    static func lost(at socket: String) -> Failure {
        let said = "The answer was lost, so whether this was done is unknown."
        return Failure(CallError("org.todod.Store.OutcomeUnknown", [.init("message", .text(said))]), socket: socket)
    }

    /// The error as its interface describes it; `nil` for unknown errors and failures without the daemon.
    var known: APIError? { error.flatMap(APIError.init) }

    /// The short name of a feature's refusal, such as `Todos.TitleTooShort`, and the index of the action in the batch.
    var refusal: (name: String, action: Int)? {
        if case .refused(_, let action) = known, let error { (Failure.short(error.name), action) } else { nil }
    }

    var isUnknownID: Bool { isOne(of: ["UnknownID"]) }

    /// Whether a retry may succeed soon.
    var isTemporary: Bool { endsConnection || isOne(of: ["StoreBusy", "QueryBusy"]) }

    var isTooLarge: Bool { isOne(of: ["AnswerTooLarge"]) }

    var mayBeExecuted: Bool { isOutcomeUnknown || isOne(of: ["Stopping"]) }

    /// Whether the daemon does not know the outcome.
    var isOutcomeUnknown: Bool { isOne(of: ["OutcomeUnknown"]) }

    /// Whether the error concerns only this attempt, so that an earlier one may have been executed.
    var concernsRetryOnly: Bool { isOne(of: ["Unavailable", "StorageFull"]) }

    var endsConnection: Bool { isOne(of: ["TooManyConnections", "Stopping", "OutcomeUnknown"]) }

    private func isOne(of names: [String]) -> Bool {
        error.map { !$0.name.hasPrefix(APIError.featurePrefix) && names.contains(Failure.short($0.name)) } ?? false
    }

    // The start of the daemon's message for a call that is too long; the maximum follows.
    private static let tooLong = "message: longer than "

    /// The name without its interface; refusals keep the feature, because several features may declare the same name.
    static func short(_ name: String) -> String {
        name.hasPrefix(APIError.featurePrefix)
            ? String(name.dropFirst(APIError.featurePrefix.count)) : name.split(separator: ".").last.map(String.init) ?? name
    }
}

extension Failure {
    init(_ error: VarlinkClientError, socket place: String) {
        let socket = Visible.text(place)
        switch error {
        case .unreachable(let number) where number == EACCES || number == EPERM:
            let remedy =
                socket == SocketLocation.system
                ? "Members of the group todod may: sudo adduser \"$USER\" todod, then log in again."
                : "It belongs to another user, or to a group that you are not in (the system's daemon: todod)."
            self.init(.notPermitted, "You may not use the socket \(socket).\n\(remedy)")
        case .unreachable(let number):
            let reason = String(cString: strerror(number))
            self.init(.unreachable, "No daemon answers at \(socket) (\(reason)).\n" + Failure.start(socket: place))
        case .timedOut:
            self.init(
                .tryAgain,
                "The daemon at \(socket) does not answer.\n"
                    + "It is stopped, still starting or overloaded, and may still execute the request. To wait longer, for example for "
                    + "a slow start: todoctl --timeout SECONDS VERB\nTo restart it: "
                    + (ForkPlace(socket: place).map { "todoctl fork stop \($0.name), then todoctl fork start \($0.name)" }
                        ?? "\(place == SocketLocation.system ? "sudo systemctl" : "systemctl --user") restart todod"))
        case .closed:
            self.init(
                .unreachable,
                "The daemon at \(socket) closed the connection and did not come back.\n" + Failure.start(socket: place))
        case .notVarlink(let reason):
            self.init(
                .unreachable,
                "The program at \(socket) is not a daemon that todoctl knows (\(Visible.text(reason))). "
                    + "Name another socket with --socket, or set TODOD_SOCKET.")
        case .untrusted(let message): self.init(.notPermitted, message)
        case .refused(let error): self.init(error, socket: place)
        case .unexpected(let what):
            self = .unexpected("The daemon at \(socket) sent an unexpected reply. \(Visible.text(what))")
        }
    }

    private static func start(socket: String) -> String {
        if let fork = ForkPlace(socket: socket) { return "Start it with: todoctl fork start \(fork.name)" }
        if socket == SocketLocation.system { return "Start it with: sudo systemctl start todod.socket" }
        let location = SocketLocation(environment: Environment.variable, uid: getuid())
        if socket == location.user { return "Start it with: systemctl --user start todod.socket\nor, without systemd: todod" }
        return "Start it with: todod --socket \(Visible.text(socket))"
    }
}

extension Failure {
    /// The daemon's reply is not allowed by this version of the interface.
    static func unexpected(_ what: String) -> Failure {
        Failure(
            .unreachable,
            what + "\nThe daemon may be of another version: compare them with todoctl --version, and restart it.")
    }

    // The verbs that list the elements of features.
    private static let lists = [
        "Todos": "todoctl list --all", "Posts": "todoctl posts", "Repositories": "todoctl repos", "Alerts": "todoctl alerts",
        "Views": "todoctl view list",
    ]

    static let showsTodos = shows("Todos")

    private static func shows(_ feature: String) -> String { "To see what there is: \(lists[feature] ?? "")" }

    /// Replaces the failure if the daemon lacks the verb's feature.
    func namingMissingFeature(of client: Client) -> Failure {
        let path: String
        switch known {
        case .unknownScope(_, let place), .unknownFeature(_, let place), .badAction(_, _, let place): path = place
        default: return self
        }
        let feature = String(path.prefix { $0 != "." })
        let own = ["todos", "counter", "alerts", "posts", "stars", "repositories", "flows", "views"]
        guard own.contains(feature), let daemon = try? client.service(),
            !daemon.interfaces.contains(APIError.featurePrefix + feature.prefix(1).uppercased() + feature.dropFirst())
        else { return self }
        var failure = self
        failure.message = "\(daemon.program) has no \(feature); todoctl actions lists what it has."
        return failure
    }

    /// Replaces the remedy for an unknown element of an altered history, because lists show present elements only.
    static func telling<Result>(
        of alterations: [AlterationMessage], _ ask: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(Failure) { return try ask() } catch {
            guard case .refused(let refusal, let index)? = error.known, let list = lists[refusal.feature],
                let remedy = remedies[refusal.feature + "." + refusal.name], remedy == shows(refusal.feature),
                alterations.indices.contains(index),
                let place = alterations[index].insert ?? alterations[index].edit.map({ max($0, 1) - 1 })
            else { throw error }
            var failure = error
            failure.message =
                "At that place of the altered history: \(error.message.dropLast(remedy.count))"
                + "To see what the log has there: \(list) --at \(place)"
            throw failure
        }
    }

    /// Remedies for errors whose message has none.
    ///
    /// The keys are short names. If no command helps, the description of the error has the remedy.
    static let remedies = [
        "Todos.UnknownID": shows("Todos"), "Todos.UnknownIndex": shows("Todos"), "Posts.UnknownID": shows("Posts"),
        "Repositories.UnknownID": shows("Repositories"), "Repositories.UnknownIndex": shows("Repositories"),
        "Alerts.UnknownID": shows("Alerts"), "Views.UnknownID": shows("Views"),
        "Todos.DependencyRing": "To remove the dependencies of a todo: todoctl edit ID --no-after",
        "UnknownBookmark": "To list them: todoctl bookmark",
        "UnknownAction": "To see all: todoctl actions",
        "Flows.UnknownFlow": "To list those that are open: todoctl flow list",
        "Repositories.UnknownLanguage": "To choose one: todoctl repos choose",
        "UnknownStep": "To see the steps: todoctl steps --any",
        "NothingToUndo": "To see what was done: todoctl steps",
        "NotStanding": "To redo it, undo the step that undid it: todoctl undo STEP",
        "NothingLeft": "To see what came later: todoctl log",
        "NothingToRedact": "To find the record of a text: todoctl log --search TEXT",
        "FutureSequence": "To see the last records: todoctl log --limit 10",
        "KeyReused": "Omit --key to get a new key.",
        "UnknownUpload": "Import the file again from its beginning.",
        "UnknownCommand": "To list those that are open: todoctl commands",
        "CommandClosed": "To list those that are open: todoctl commands",
        "InvariantBroken": "To list them: todoctl invariant list",
        "InvariantTooCostly":
            "Do it in parts, or shorten its texts. An administrator can relax a condition; to list them: todoctl invariant list",
        "UnknownInvariant": "To list them: todoctl invariant list",
        "BadArguments": "To see its arguments: todoctl commands --json",
        "CommandHeld": "To release all commands: todoctl commands release",
        "Posts.NoMorePosts": "To fetch the newest: todoctl posts fetch",
        "Repositories.NoPage": "To see the others: todoctl repos",
        "Todos.TooManyTodos": "To remove those that are done: todoctl clear",
        "Flows.TooManyFlows": "To cancel one: todoctl flow cancel ID",
        "Views.TooManyViews": "To list them: todoctl view list",
        "Counter.CounterAtMaximum": "To begin at 0: todoctl counter reset",
        "Counter.CounterAtMinimum": "To begin at 0: todoctl counter reset",
        "OutcomeUnknown":
            "Check whether it was done before you repeat it: todoctl list --all, todoctl log --limit 10. With the same "
            + "key it is done only once.",
        "Unavailable": "To see the cluster's status: todoctl cluster",
        "SharedLog":
            "Import into a log of its own (--data DIR --socket PATH), and found a shared log of another name with it: man todod-cluster",
        "Locked": "To unlock it, as an administrator: todoctl unlock",
        "ReadOnly": "To change it, start the daemon without --inspect.",
        "DamagedRecord":
            "To see all damage: todoctl verify. To restore a backup, start the daemon with --restore DIRECTORY --data NEW-DIRECTORY.",
        "Unreadable": "The daemon's journal may say more: journalctl -u NAME, or with --user.",
        "MethodNotFound":
            "The daemon may be older than todoctl: restart it. To see its methods: todoctl call org.varlink.service.GetInfo",
        "InterfaceNotFound": "To see its interfaces: todoctl call org.varlink.service.GetInfo",
        "MethodNotImplemented": "The daemon may be older than todoctl: restart it.",
        "InvalidParameter": "If no parameter was written by hand, the daemon is older than todoctl: restart it.",
    ]
}

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
