import ArgumentParser
import Chronicle
import TodoAPI

struct ViewVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Manage saved filters, or show the view of a feature.",
        discussion: """
            EXAMPLES:
              todoctl view save work '+work is:open'
              todoctl list @work
              todoctl list @work due:today
              todoctl view list
              todoctl view remove work
              todoctl view todos

            Relative dates of a saved filter, such as due:today, are resolved when it is used. Changes can be undone. Without one
            of these verbs, shows the view of a feature.
            """,
        subcommands: [Feature.self, Save.self, List.self, Show.self, Remove.self], defaultSubcommand: Feature.self)

    struct Feature: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "feature",
            abstract: "Show the view of a feature.",
            discussion: """
                EXAMPLES:
                  todoctl view feature todos
                  todoctl view counter --json
                  todoctl view todos --at 1234
                  todoctl view todos --follow

                With --follow, changes are shown as they happen, until Ctrl-C; after a restart of the daemon, the whole view if it
                changed. With --json, replies of org.todod.Store.Subscribe.
                """)

        @OptionGroup var options: Options
        @OptionGroup var moment: PointOption

        @Argument(help: "The feature.", completion: .features)
        var feature = "todos"

        @Flag(help: "Show changes as they happen.")
        var follow = false

        func validate() throws {
            if follow, moment.text != nil { throw ValidationError("--follow shows the present: omit --at.") }
        }

        func run() throws {
            try options.session(patience: follow ? Client.followingPatience : Client.patience) { session in
                let feature = FeatureAction.scope(of: feature)
                if follow { return try ViewFollower(feature, session).run() }
                try session.view(feature, at: moment.point(session)) { Tree.lines($0, of: feature) }
            }
        }
    }

    struct Save: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "save",
            abstract: "Save a filter under a name.",
            discussion: """
                EXAMPLES:
                  todoctl view save work '+work is:open'
                  todoctl view save soon 'due<=sunday' -someday --sort due

                A name begins with a letter, followed by letters, digits, '-', '_' and '.'. The filter is as in list, and must not
                contain another view.
                """)

        @OptionGroup var options: Options

        @Argument(help: "The name.", completion: .views)
        var name: String

        @Argument(help: ArgumentHelp("The filter.", valueName: "filter"))
        var words: [String]

        @Option(help: "Order of the list: due, priority, title, created, id or urgency.")
        var sort: TodoOrder?

        func run(_ session: Session) throws {
            let filter = try session.filterText(words)
            let isKnown = try session.savedViews().contains { $0.name.hasSameBytes(as: name) }
            try session.change([SavedView.saving(name, filter, sort: sort)]) { answer in
                [Self.sentence(name, filter, isKnown: isKnown, hasChanged: !answer.sequences.isEmpty)]
            }
        }

        /// The message after saving a view.
        static func sentence(_ name: String, _ filter: String, isKnown: Bool, hasChanged: Bool) -> String {
            let name = Visible.text(name)
            guard hasChanged else { return "The view \(name) is unchanged." }
            return (isKnown ? "Changed" : "Saved") + " the view \(name): \(Visible.text(filter))"
        }
    }

    struct List: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the saved views.",
            examples: "todoctl view list", "todoctl view list --json")

        @OptionGroup var options: Options
        @OptionGroup var moment: PointOption

        func run(_ session: Session) throws {
            var views: [SavedView] = []
            try session.pages(.init(scope: "views.items", at: moment.point(session))) { page throws(Failure) in
                guard !session.isJSON else {
                    session.output.json(page)
                    return .more
                }
                views += (page.state["views"]?["items"]?.list ?? []).compactMap(SavedView.init)
                return .more
            }
            session.show(views.sorted { $0.name < $1.name }.map(\.line))
            if views.isEmpty, session.isTerminal {
                session.output.line("There are no saved views. To save one: todoctl view save work '+work is:open'")
            }
        }
    }

    struct Show: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the filter of a view.",
            examples: "todoctl view show work", "todoctl view show work --json")

        @OptionGroup var options: Options

        @Argument(help: "The name.", completion: .views)
        var name: String

        func run(_ session: Session) throws {
            for view in try session.savedViews(named: [name]) {
                guard session.isJSON else {
                    session.output.line(view.line)
                    continue
                }
                try session.pages(.init(scope: "views.items", id: view.id)) { page throws(Failure) in
                    session.output.json(page)
                    return .more
                }
            }
        }
    }

    struct Remove: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove saved views.", examples: "todoctl view remove work")

        @OptionGroup var options: Options

        @Argument(help: "The names.", completion: .views)
        var names: [String]

        func run(_ session: Session) throws {
            let views = try session.savedViews(named: names)
            try session.change(views.map { SavedView.removing($0.id) }) { _ in views.map { "Removed the view \($0.line)" } }
        }
    }
}

struct StateVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Show the state, or one scope of it.",
        discussion: """
            EXAMPLES:
              todoctl state
              todoctl state counter
              todoctl state todos.items --json
              todoctl state --at "10 minutes ago"
              todoctl state --json > state.json
              todod --ephemeral --state state.json --socket /tmp/try.socket
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(
        help: "A feature or one field of its state: todos, todos.items (default: everything).", completion: .features)
    var scope: String?

    func run(_ session: Session) throws {
        try session.show(scope.map(FeatureAction.scope), at: moment.point(session)) { Tree.lines($0) }
    }
}
