import ArgumentParser
import Chronicle
import TodoAPI

struct ViewVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Give filters names that everybody who lists todos can use; or show what a feature shows.",
        discussion: """
            EXAMPLES:
              todoctl view save work '+work is:open'
              todoctl list @work
              todoctl list @work due:today
              todoctl view list
              todoctl view remove work
              todoctl view todos

            A view is read when it is used, so due:today in it is always today. What is done to views is undone like all else. Without
            one of these verbs, the view of a feature is what it shows of its state.
            """,
        subcommands: [Feature.self, Save.self, List.self, Show.self, Remove.self], defaultSubcommand: Feature.self)

    struct Feature: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "feature",
            abstract: "Show what a feature shows of its state.",
            discussion: """
                EXAMPLES:
                  todoctl view feature todos
                  todoctl view counter --json
                  todoctl view todos --at 1234
                  todoctl view todos --follow

                With --follow it goes on with what changes in that, as it happens, until Ctrl-C. When the daemon restarts, it goes on
                with all of it if anything was recorded meanwhile. With --json the replies are those of org.todod.Store.Subscribe.
                """)

        @OptionGroup var options: Options
        @OptionGroup var moment: PointOption

        @Argument(help: "The feature.", completion: .features)
        var feature = "todos"

        @Flag(help: "Go on with what changes.")
        var follow = false

        func validate() throws {
            if follow, moment.text != nil { throw ValidationError("--follow goes on with the present: leave --at out.") }
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
            abstract: "Give a filter a name, or a name another filter.",
            discussion: """
                EXAMPLES:
                  todoctl view save work '+work is:open'
                  todoctl view save soon 'due<=sunday' -someday --sort due

                A name begins with a letter, and goes on with letters, digits, '-', '_' and '.'. The filter is one of list, and names
                no other view.
                """)

        @OptionGroup var options: Options

        @Argument(help: "The name.", completion: .views)
        var name: String

        @Argument(help: ArgumentHelp("The filter.", valueName: "filter"))
        var words: [String]

        @Option(help: "How list sorts it: due, priority, title, created, id or urgency.")
        var sort: TodoOrder?

        func run(_ session: Session) throws {
            let filter = try session.filterText(words)
            let isKnown = try session.savedViews().contains { $0.name.hasSameBytes(as: name) }
            try session.change([SavedView.saving(name, filter, sort: sort)]) { answer in
                [Self.sentence(name, filter, isKnown: isKnown, hasChanged: !answer.sequences.isEmpty)]
            }
        }

        /// What is said when a view was saved.
        static func sentence(_ name: String, _ filter: String, isKnown: Bool, hasChanged: Bool) -> String {
            let name = Visible.text(name)
            guard hasChanged else { return "The view \(name) was so already." }
            return (isKnown ? "Changed" : "Saved") + " the view \(name): \(Visible.text(filter))"
        }
    }

    struct List: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the views that are saved.",
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
                session.output.line("No view is saved. To save one: todoctl view save work '+work is:open'")
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
            commandName: "remove", abstract: "Take views away.", examples: "todoctl view remove work")

        @OptionGroup var options: Options

        @Argument(help: "Their names.", completion: .views)
        var names: [String]

        func run(_ session: Session) throws {
            let views = try session.savedViews(named: names)
            try session.change(views.map { SavedView.removing($0.id) }) { _ in views.map { "Removed the view \($0.line)" } }
        }
    }
}
