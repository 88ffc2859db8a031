import ArgumentParser
import Varlink

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
            var stars = page.state["stars"]?["items"]?.object ?? []
            if let id {
                // One that nobody pressed is there as well: it stands as they all begin.
                stars = [stars.first { $0.name == id } ?? .init(name: id, value: ["phase": "unstar", "starCount": 0])]
                page.state = ["stars": ["items": .object(stars)]]
            }
            if session.isJSON { return session.output.json(page.members) }
            session.tellMoment(page.members)
            for star in stars {
                let phase = Visible.text(star.value["phase"]?.string ?? "?")
                let mark = phase == "star" ? "★" : phase == "unstar" ? "☆" : "…"
                session.output.line("\(mark) \(Visible.text(star.name))  \(phase)  \(star.value["starCount"]?.int ?? 0)")
            }
        }
    }
}
