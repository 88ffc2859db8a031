import ArgumentParser
import Reducing
import TodoAPI
import Varlink

struct StarVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "star", abstract: "Press star buttons, and see what they show.",
        discussion: """
            EXAMPLES:
              todoctl star press swift --wait
              todoctl star show swift
              todoctl star show
            """,
        subcommands: [StarPress.self, StarShow.self], defaultSubcommand: StarShow.self)
}

struct StarPress: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "press", abstract: "Press a star button: gives a star, or takes it back.",
        discussion: """
            EXAMPLES:
              todoctl star press swift
              todoctl star press apple/swift-nio
              todoctl star press swift --wait

            Does not wait for the request that it starts, unless it is told to. Pressing again while one is under way does nothing.
            With --wait each step is shown, also of a request that is under way already, and the exit code is 1 if it failed.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The button's id.")
    var id: String

    @Flag(help: "Show what the request comes to.")
    var wait = false

    func run() throws {
        try options.session { session in
            if wait {
                var request = try StarRequest(pressing: id, session)
                return try request.finish()
            }
            try session.change([FeatureAction.make("stars", "press", ["id": .text(id)])]) { answer in
                [answer.sequences.isEmpty ? "A request is under way; nothing was done." : "Pressed."]
            }
        }
    }
}

struct StarShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one star button, or all that were ever pressed.",
        discussion: """
            EXAMPLES:
              todoctl star show swift
              todoctl star show
              todoctl star show --at yesterday

            staring and unstaring: a request is under way.
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(help: "The button's id; left out, all of them.")
    var id: String?

    func run() throws {
        try options.session { session in
            var page = try session.whole("stars.items", at: moment.point(session))
            let stars = StarLine.stars(page.state, only: id)
            page.state = ["stars": ["items": .object(stars)]]
            if session.isJSON { return session.output.json(page.members) }
            session.tellMoment(page.members)
            for star in stars { session.output.line(StarLine.text(star.name, star.value)) }
        }
    }
}

/// A star button as a line for a person.
enum StarLine {
    /// One that nobody pressed stands as they all begin.
    static let unpressed: JSON = ["phase": "unstar", "starCount": 0]

    /// `★ swift  star  1`.
    static func text(_ id: String, _ star: JSON) -> String {
        "\(text(id, phase: star["phase"]?.string ?? "?"))  \(star["starCount"]?.int ?? 0)"
    }

    /// `… swift  staring`.
    static func text(_ id: String, phase: String) -> String {
        let mark = phase == "star" ? "★" : phase == "unstar" ? "☆" : "…"
        return "\(mark) \(Visible.text(id))  \(Visible.text(phase))"
    }

    /// The buttons of a state, or the one that is meant.
    static func stars(_ state: JSON, only id: String?) -> [JSON.Member] {
        let stars = state["stars"]?["items"]?.object ?? []
        guard let id else { return stars }
        return [stars.first { $0.name == id } ?? .init(name: id, value: unpressed)]
    }

    /// The button that a change is about, as it is after that; `nil` if it is about none.
    static func star(_ change: JSON) -> JSON.Member? {
        guard change["path"]?.string == "stars.items" else { return nil }
        if let new = change["new"]?.object?.first { return new }
        // It stands again as it began.
        return (change["old"]?.object?.first).map { .init(name: $0.name, value: unpressed) }
    }

    /// A reply to whoever follows the state, with that of it which is about one button; `nil` if nothing is.
    static func reply(_ members: [JSON.Member], only id: String) -> [JSON.Member]? {
        let changes = members["changes"]?.array?.filter { star($0)?.name == id }
        guard changes?.isEmpty != true else { return nil }
        let all = members["records"]?.array ?? []
        let records = all.filter { $0["action"]?["stars"]?.object?.first?.value["id"]?.string == id }
        return members.map { member in
            switch member.name {
            case "state": .init(name: "state", value: ["stars": ["items": .object(stars(member.value, only: id))]])
            case "changes": .init(name: "changes", value: changes.map { .array($0) } ?? .null)
            case "records": .init(name: "records", value: .array(records))
            case "commands":
                .init(
                    name: "commands",
                    value: .array((member.value.array ?? []).filter { $0["arguments"]?["id"]?.string == id }))
            case "skipped":
                .init(name: "skipped", value: .int((member.value.int ?? 0) + Int64(all.count - records.count)))
            default: member
            }
        }
    }
}
