import Glibc
import Reducing
import TodoAPI
import TodoClient
import Varlink

/// Why a verb ends without having done what was asked, with its exit code.
struct Failure: Error, Equatable {
    var code: Code
    /// What was tried and what to do, for a person; may have several lines.
    var message: String
    /// The daemon's error, if it was one.
    var error: CallError?

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The daemon answered with an error.
    init(_ error: CallError, socket: String) {
        self.error = error
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
                + "Its TODOD_ALLOW says who may read (r), write (w) and administer (a)."
        case (.invalidParameter(let name), _):
            message = "The daemon does not know the parameter \(Visible.text(name)), or it is missing or of another type."
        case (.expectedMore, _): message = "This method streams: add --more."
        case (_, "MethodNotFound"), (_, "InterfaceNotFound"), (_, "MethodNotImplemented"):
            let which = error.parameters.first.flatMap(\.value.text).map { " " + Visible.text($0) } ?? ""
            message = "The daemon has no such \(short == "InterfaceNotFound" ? "interface" : "method"):\(which)."
        // A rule of a feature says it as the rest of a sentence.
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

    /// The answer to a call that must not be repeated was lost; `question` says how to find out what came of it.
    static func unknown(_ loss: Failure, _ question: String) -> Failure {
        var failure = loss
        failure.message = "The answer was lost, so whether this was done is unknown. To find out: \(question)"
        return failure
    }

    /// The answer to a call was lost, and the daemon that was asked again can't say what became of it now.
    static func lost(at socket: String) -> Failure {
        let said = "The answer was lost, so whether this was done is unknown."
        return Failure(CallError("org.todod.Store.OutcomeUnknown", [.init("message", .text(said))]), socket: socket)
    }

    /// The daemon's error as the interface describes it; `nil` of a newer daemon's, and of a failure without the daemon.
    var known: APIError? { error.flatMap(APIError.init) }

    /// The name of the rule of a feature that refused, and the index in the batch of the action.
    var refusal: (name: String, action: Int)? {
        if case .refused(let refusal, let action) = known { (refusal.name, action) } else { nil }
    }

    /// Whether the daemon may answer otherwise a moment later.
    var isPassing: Bool { endsConnection || isOne(of: ["StoreBusy", "QueryBusy"]) }

    /// Whether the answer would have been larger than any may be.
    var isTooLarge: Bool { isOne(of: ["AnswerTooLarge"]) }

    /// Whether it may have been done all the same.
    var isVague: Bool { isDoubt || isOne(of: ["Stopping"]) }

    /// Whether the daemon itself does not know what became of it.
    var isDoubt: Bool { isOne(of: ["OutcomeUnknown"]) }

    /// Whether it says that nothing was done now, and not what became of the same call before.
    var isOfRepetitionAlone: Bool { isOne(of: ["Unavailable", "StorageFull"]) }

    /// Whether the daemon goes away, so that another connection is needed.
    var endsConnection: Bool { isOne(of: ["TooManyConnections", "Stopping", "OutcomeUnknown"]) }

    private func isOne(of names: [String]) -> Bool { error.map { names.contains(Failure.short($0.name)) } ?? false }

    // How a daemon begins what it says of a call that is longer than it takes; behind it stands how long one may be.
    private static let tooLong = "message: longer than "

    /// The name of an error without its interface.
    static func short(_ name: String) -> String { name.split(separator: ".").last.map(String.init) ?? name }
}

extension Failure {
    /// A call has no answer that can be used, with what to do about it.
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
                "What answers at \(socket) is not todod (\(Visible.text(reason))). "
                    + "Name todod's socket with --socket, or set TODOD_SOCKET.")
        case .untrusted(let message): self.init(.notPermitted, message)
        case .refused(let error): self.init(error, socket: place)
        case .unexpected(let what):
            self = .unexpected("The daemon at \(socket) answered something else than expected. \(Visible.text(what))")
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
    /// The daemon answered what no daemon of this version answers.
    static func unexpected(_ what: String) -> Failure {
        Failure(
            .unreachable,
            what + "\nTodoctl and todod may be of different versions: compare them with todoctl --version, and restart todod.")
    }

    // What shows the elements of a feature, by its name.
    private static let lists = [
        "todos": "todoctl list --all", "posts": "todoctl posts", "repositories": "todoctl repos", "alerts": "todoctl alerts",
        "views": "todoctl view list",
    ]

    static var showsTodos: String { shows(["todos"].compactMap { lists[$0] }) }

    private static func shows(_ lists: some Sequence<String>) -> String {
        "To see what there is: \(lists.sorted().joined(separator: ", "))"
    }

    /// Where an action names an element that there is not, says what shows those of its feature, and of no other.
    static func telling<Result>(of actions: [Value], _ dispatch: () throws(Failure) -> Result) throws(Failure) -> Result {
        do throws(Failure) { return try dispatch() } catch {
            guard let (remedy, action) = unknownElement(error), actions.indices.contains(action),
                let list = Self.list(for: actions[action])
            else { throw error }
            var failure = error
            failure.message = error.message.dropLast(remedy.count) + shows([list])
            throw failure
        }
    }

    /// As above, of an action that is put into an altered history: what there is now says nothing of what there is at its place.
    static func telling<Result>(
        of alterations: [AlterationMessage], _ ask: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(Failure) { return try ask() } catch {
            guard let (remedy, index) = unknownElement(error), alterations.indices.contains(index),
                let list = alterations[index].action.flatMap(Self.list),
                let place = alterations[index].insert ?? alterations[index].edit.map({ max($0, 1) - 1 })
            else { throw error }
            var failure = error
            failure.message =
                "At that place of the altered history: \(error.message.dropLast(remedy.count))"
                + "To see what the log has there: \(list) --at \(place)"
            throw failure
        }
    }

    // What is said to do where an element is named that there is not, and which action names it.
    private static func unknownElement(_ failure: Failure) -> (remedy: String, action: Int)? {
        guard let refusal = failure.refusal, ["UnknownID", "UnknownIndex"].contains(refusal.name),
            let remedy = remedies[refusal.name], failure.message.hasSuffix(remedy)
        else { return nil }
        return (remedy, refusal.action)
    }

    private static func list(for action: Value) -> String? { action.record?.first.flatMap { lists[$0.name] } }

    /// What to do about an error of the daemon whose own sentence does not say it.
    ///
    /// Where no command helps, the description of the error says what to do.
    static let remedies = [
        "UnknownID": shows(lists.values),
        "UnknownIndex": shows(["todos", "repositories"].compactMap { lists[$0] }),
        "DependencyRing": "To take the links of one of them away: todoctl edit ID --no-after",
        "UnknownBookmark": "To list them: todoctl bookmark",
        "UnknownSubscription": "To list them: todoctl subscription. To make one: todoctl subscription add NAME",
        "TooManySubscriptions": "To list them: todoctl subscription",
        "TooManySubscriptionsOfUser": "To list them: todoctl subscription. Who may administer can make more.",
        "DamagedSubscription":
            "Who may administer makes it anew (todoctl subscription add NAME --from POINT), or takes it away (todoctl subscription remove NAME).",
        "SubscriptionOfAnother": "Who may administer can change it, and follow it.",
        "SubscriptionPruned": "That is: todoctl subscription skip NAME RECORD",
        "UnknownAction": "To see all: todoctl actions",
        "UnknownFlow": "To list those that are open: todoctl flow list",
        "UnknownLanguage": "To choose one: todoctl repos choose",
        "UnknownStep": "To see the steps: todoctl steps --any",
        "NothingToUndo": "To see what was done: todoctl steps",
        "NotStanding": "To do it again, undo the step that took it back: todoctl undo STEP",
        "NothingLeft": "To see what came later: todoctl log",
        "NothingToRedact": "To find the record of a text: todoctl log --search TEXT",
        "FutureSequence": "To see the last records: todoctl log --limit 10",
        "KeyReused": "Leave --key out, and a new one is made.",
        "UnknownUpload": "Import the file again from its beginning.",
        "UnknownCommand": "To list those that are open: todoctl commands",
        "CommandClosed": "To list those that are open: todoctl commands",
        "InvariantBroken": "To list them: todoctl invariant list",
        "InvariantTooCostly":
            "Do it in parts, or shorten its texts. Who may administer can have a condition ask for less; to list them: todoctl invariant list",
        "UnknownInvariant": "To list them: todoctl invariant list",
        "BadArguments": "To see those that it has: todoctl commands --json",
        "CommandHeld": "To let all of them go on: todoctl commands release",
        "NoMorePosts": "To fetch the newest: todoctl posts fetch",
        "NoPage": "To see the others: todoctl repos",
        "TooManyTodos": "To remove those that are done: todoctl clear",
        "TooManyFlows": "To take one back: todoctl flow cancel ID",
        "TooManyViews": "To list them: todoctl view list",
        "CounterAtMaximum": "To begin at 0: todoctl counter reset",
        "CounterAtMinimum": "To begin at 0: todoctl counter reset",
        "OutcomeUnknown":
            "Look whether it was done before you do it again: todoctl list --all, todoctl log --limit 10. Asked again with the same "
            + "key it is done once.",
        "Unavailable": "To see how the cluster is: todoctl cluster",
        "SharedLog":
            "Import into a log of its own, with todod --data DIR --socket PATH, and found a shared log of another name with that: "
            + "man todod-cluster",
        "Locked": "To unlock it, as an administrator: todoctl unlock",
        "ReadOnly": "To change it, start todod without --inspect.",
        "DamagedRecord":
            "To see all that is damaged: todoctl verify. "
            + "A backup comes back with: todod --restore DIRECTORY --data NEW-DIRECTORY",
        "Unreadable": "More may stand in the daemon's journal: journalctl -u todod, or with --user.",
        "MethodNotFound":
            "Todod may be older than todoctl: restart it. To see its methods: todoctl call org.varlink.service.GetInfo",
        "InterfaceNotFound": "To see its interfaces: todoctl call org.varlink.service.GetInfo",
        "MethodNotImplemented": "Todod may be older than todoctl: restart it.",
        "InvalidParameter": "If no parameter was written by hand, todod is older than todoctl: restart it.",
    ]
}
