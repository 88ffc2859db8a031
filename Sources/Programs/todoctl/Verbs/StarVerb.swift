import ArgumentParser
import Chronicle
import TodoAPI

struct StarVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "star", abstract: "Press and show star buttons.",
        discussion: """
            EXAMPLES:
              todoctl star press swift --wait
              todoctl star show swift
              todoctl star show
            """,
        subcommands: [StarPress.self, StarShow.self], defaultSubcommand: StarShow.self)
}

struct StarPress: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "press", abstract: "Star or unstar.",
        discussion: """
            EXAMPLES:
              todoctl star press swift
              todoctl star press apple/swift-nio
              todoctl star press swift --wait

            Does not wait for the request without --wait, which shows each step of it, even if it was already running; the exit
            status is 1 if it failed. Pressing again while a request is running does nothing.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The button's id.")
    var id: String

    @Flag(help: "Wait for the request, and show its steps.")
    var wait = false

    func run(_ session: Session) throws {
        if wait {
            var request = try StarRequest(pressing: id, session)
            return try request.finish()
        }
        try session.change([FeatureAction.make("stars", "press", ["id": .text(id)])]) { answer in
            [answer.sequences.isEmpty ? "A request is already running; nothing was done." : "Pressed."]
        }
    }
}

struct StarShow: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one star button, or all that were pressed.",
        discussion: """
            EXAMPLES:
              todoctl star show swift
              todoctl star show
              todoctl star show --at yesterday

            staring and unstaring: a request is running.
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(help: "The button's id (default: all).")
    var id: String?

    func run(_ session: Session) throws {
        var page = try session.whole("stars.items", at: moment.point(session))
        let stars = StarLine.stars(page.state, only: id)
        page.state = ["stars": ["items": .record(stars)]]
        session.show(page) { _ in stars.map { StarLine.text($0.name, $0.value) } }
    }
}

enum StarLine {
    /// The initial state of a button.
    static let unpressed: Value = ["phase": "unstar", "starCount": 0]

    /// `★ swift  star  1`.
    static func text(_ id: String, _ star: Value) -> String {
        "\(text(id, phase: star["phase"]?.text ?? "?"))  \(star["starCount"]?.int ?? 0)"
    }

    /// `… swift  staring`.
    static func text(_ id: String, phase: String) -> String {
        let mark = phase == "star" ? "★" : phase == "unstar" ? "☆" : "…"
        return "\(mark) \(Visible.text(id))  \(Visible.text(phase))"
    }

    /// All buttons of a state, or only one.
    static func stars(_ state: Value, only id: String?) -> [Value.Field] {
        let stars = state["stars"]?["items"]?.record ?? []
        guard let id else { return stars }
        return [stars.first { $0.name.hasSameBytes(as: id) } ?? .init(id, unpressed)]
    }

    /// The button after a change; `nil` if the change is about something else.
    static func star(_ change: Change) -> Value.Field? {
        guard change.path == "stars.items" else { return nil }
        if let new = change.new?.record?.first { return new }
        // Back in its initial state.
        return (change.old?.record?.first).map { .init($0.name, unpressed) }
    }

    /// Limits a reply to one button; `nil` if nothing in it is about that.
    static func reply(_ reply: SubscribeMethod.Output, only id: String) -> SubscribeMethod.Output? {
        var own = reply
        own.changes = reply.changes?.filter { star($0)?.name.hasSameBytes(as: id) == true }
        guard own.changes?.isEmpty != true else { return nil }
        own.state = reply.state.map { ["stars": ["items": .record(stars($0, only: id))]] }
        own.records = reply.records.filter { $0.action?["stars"]?.record?.first?.value["id"]?.text?.hasSameBytes(as: id) == true }
        own.commands = reply.commands.filter { $0.arguments["id"]?.text?.hasSameBytes(as: id) == true }
        own.skipped += UInt64(reply.records.count - own.records.count)
        return own
    }
}
