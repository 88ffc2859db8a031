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
            let stars = StarLine.stars(page.state, only: id)
            page.state = ["stars": ["items": .object(stars)]]
            if session.isJSON { return session.output.json(page.members) }
            session.tellMoment(page.members)
            for star in stars { session.output.line(StarLine.text(star.name, star.value)) }
        }
    }
}
