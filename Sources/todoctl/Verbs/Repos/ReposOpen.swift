import ArgumentParser
import Reducing
import TodoAPI
import Varlink

struct ReposOpen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Print the address of a repository's page.",
        discussion: """
            EXAMPLES:
              todoctl repos open 1
              xdg-open "$(todoctl repos open 1)"
            """)

    @OptionGroup var options: Options

    @Argument(help: "Its number in the list.")
    var number: Int

    func run() throws {
        try options.session { session in
            let items = try session.whole("repositories.items").state["repositories"]?["items"]?.array ?? []
            guard items.indices.contains(number - 1), let id = items[number - 1]["id"]?.int else {
                throw Failure(
                    .refused, "There is no repository \(number): the list has \(items.count). To see it: todoctl repos list")
            }
            // By its id: the list may change before the daemon reads this.
            try session.change([FeatureAction.make("repositories", "open", ["id": .int(id)])]) { _ in [] }
        }
    }
}
