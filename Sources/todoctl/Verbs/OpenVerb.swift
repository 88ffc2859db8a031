import ArgumentParser
import TodoAPI

struct OpenVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a link into the app.",
        discussion: """
            EXAMPLES:
              todoctl open todod:/
              todoctl open todod:/repos
              todoctl open todod:/repos/C%2B%2B
              todoctl open todod:/posts
              todoctl open todod:/flows/language
            """)

    @OptionGroup var options: Options

    @Argument(help: "The link.")
    var link: String

    func run() throws {
        try options.session { session in
            let frame = Frame.call(OpenMethod.self, .init(link: link, key: DispatchKey.make()))
            try session.tell(try session.client.call(frame)) { answer in
                answer.ids.isEmpty ? ["Opened."] : ["Opened. It waits for an answer: todoctl flow list"]
            }
        }
    }
}
