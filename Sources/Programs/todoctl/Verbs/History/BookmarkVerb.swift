import ArgumentParser
import TodoAPI

struct BookmarkVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "bookmark", abstract: "Set, move or remove a bookmark; without a name, list them.",
        discussion: """
            EXAMPLES:
              todoctl bookmark before-the-move
              todoctl bookmark release-1 1234
              todoctl bookmark monday-morning "monday 9:00"
              todoctl bookmark
              todoctl list --at before-the-move
              todoctl bookmark --remove release-1

            A name begins with a letter, followed by letters, digits, '-', '_' and '.'. An existing bookmark is moved.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The name.", completion: .bookmarks)
    var name: String?

    @Argument(help: "The point (default: now).", completion: .moments)
    var point: String?

    @Flag(help: "Remove the bookmark.")
    var remove = false

    func validate() throws {
        if remove, name == nil || point != nil { throw ValidationError("--remove takes a name only.") }
    }

    func run(_ session: Session) throws {
        guard let name else { return try list(session) }
        if remove { return try take(name, session) }
        let at = try session.point(point, edge: .moment)
        try session.show(SetBookmarkMethod.self, .init(bookmark: name, at: at)) { answer in
            ["Bookmarked record \(answer.sequence) as \(Visible.text(name))."]
        }
    }

    private func take(_ name: String, _ session: Session) throws {
        try session.show(RemoveBookmarkMethod.self, .init(bookmark: name)) { _ in
            ["Removed the bookmark \(Visible.text(name))."]
        }
    }

    private func list(_ session: Session) throws {
        try session.client.stream(BookmarksMethod.self, NoFields()) { answer throws(Failure) in
            try session.show(answer) { reply in reply.bookmarks.map { "\($0.sequence)  \(Visible.text($0.name))" } }
            return .more
        }
    }
}
