import ArgumentParser
import TodoAPI
import Varlink

struct BookmarkVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bookmark", abstract: "Give a moment a name, or take a name away; without a name, list the bookmarks.",
        discussion: """
            EXAMPLES:
              todoctl bookmark before-the-move
              todoctl bookmark release-1 1234
              todoctl bookmark monday-morning "monday 9:00"
              todoctl bookmark
              todoctl list --at before-the-move
              todoctl bookmark --remove release-1

            A name begins with a letter, and goes on with letters, digits, '-', '_' and '.'. The same name again moves it.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The name.")
    var name: String?

    @Argument(help: "The moment; now, if left out.")
    var point: String?

    @Flag(help: "Take the name away; the moment stays.")
    var remove = false

    func validate() throws {
        if remove, name == nil || point != nil { throw ValidationError("--remove takes a name, and no moment.") }
    }

    func run() throws {
        try options.session { session in
            guard let name else { return try list(session) }
            if remove { return try take(name, session) }
            let at = try point.map { point throws(Failure) in try session.point(point, edge: .moment) }
            let reply = try session.client.call(Frame.call(SetBookmarkMethod.self, .init(bookmark: name, at: at)))
            if session.isJSON { return session.output.json(reply) }
            session.output.line("\(Visible.text(name)) stands at \(reply["sequence"]?.int ?? 0).")
        }
    }

    private func take(_ name: String, _ session: Session) throws {
        let reply = try session.client.call(Frame.call(RemoveBookmarkMethod.self, .init(bookmark: name)))
        if session.isJSON { return session.output.json(reply) }
        session.output.line("\(Visible.text(name)) is removed.")
    }

    private func list(_ session: Session) throws {
        try session.client.stream(Frame.call(BookmarksMethod.self, NoFields(), more: true)) { members throws(Failure) in
            if session.isJSON {
                session.output.json(members)
            } else {
                for bookmark in members["bookmarks"]?.array ?? [] {
                    session.output.line("\(bookmark["sequence"]?.int ?? 0)  \(Visible.text(bookmark["name"]?.string ?? ""))")
                }
            }
            return .more
        }
    }
}
