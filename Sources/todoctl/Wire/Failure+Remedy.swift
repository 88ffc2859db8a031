extension Failure {
    /// What to do about an error of the daemon whose own sentence does not say it.
    static func remedy(for short: String) -> String? { remedies[short] }

    /// The daemon answered what no daemon of this version answers.
    static func unexpected(_ what: String) -> Failure {
        Failure(
            .unreachable,
            what + "\nTodoctl and todod may be of different versions: compare them with todoctl --version, and restart todod.")
    }

    private static let remedies = [
        "UnknownID": "To see what there is: todoctl list --all, todoctl posts, todoctl repos, todoctl alerts.",
        "UnknownIndex": "To see what there is: todoctl list --all, todoctl repos.",
        "UnknownBookmark": "To list them: todoctl bookmark",
        "UnknownFeature": "The features: todos, counter, alerts, posts, stars, repositories, flows.",
        "UnknownFlow": "To list those that are open: todoctl flow list",
        "UnknownLanguage": "To choose one: todoctl repos choose",
        "UnknownStep": "To see the steps: todoctl log",
        "NothingToUndo": "To see what was done: todoctl log",
        "NotStanding": "To do it again: todoctl redo",
        "NothingLeft": "To see what came later: todoctl log",
        "NothingToRedact": "To find the record of a text: todoctl log --search TEXT",
        "FutureSequence": "To see the last records: todoctl log --limit 10",
        "KeyReused": "Leave --key out, and a new one is made.",
        "UnknownUpload": "Import the file again from its beginning.",
        "UnknownCommand": "To list those that are open: todoctl commands",
        "CommandClosed": "To list those that are open: todoctl commands",
        "CommandHeld": "To let all of them go on: todoctl commands release",
        "NoMorePosts": "To fetch the newest: todoctl posts fetch",
        "NoPage": "To see the others: todoctl repos",
        "TooManyTodos": "To remove those that are done: todoctl clear",
        "TooManyFlows": "To take one back: todoctl flow cancel ID",
        "CounterAtMaximum": "To begin at 0: todoctl counter reset",
        "CounterAtMinimum": "To begin at 0: todoctl counter reset",
        "ReadOnly": "To change it, start todod without --inspect.",
        "DamagedRecord": "To see all that is damaged: todoctl verify. A backup comes back with: todod --restore DIRECTORY",
        "Unreadable": "More may stand in the daemon's journal: journalctl -u todod, or with --user.",
        "MethodNotFound":
            "Todod may be older than todoctl: restart it. To see its methods: todoctl call org.varlink.service.GetInfo",
        "InterfaceNotFound": "To see its interfaces: todoctl call org.varlink.service.GetInfo",
        "MethodNotImplemented": "Todod may be older than todoctl: restart it.",
        "InvalidParameter": "If no parameter was written by hand, todod is older than todoctl: restart it.",
    ]
}
