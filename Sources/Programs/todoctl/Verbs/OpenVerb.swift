import ArgumentParser
import TodoAPI

struct OpenVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a link into the app.",
        examples: "todoctl open todod:/", "todoctl open todod:/repos", "todoctl open todod:/repos/C%2B%2B",
        "todoctl open todod:/posts", "todoctl open todod:/flows/language")

    @OptionGroup var options: Options

    @Argument(help: "The link.")
    var link: String

    func run(_ session: Session) throws {
        try session.tell(session.client.ask(OpenMethod.self, .init(link: link, key: DispatchKey.make()))) { answer in
            [sentence(asks: !answer.ids.isEmpty)]
        }
    }

    private func sentence(asks isQuestion: Bool) -> String {
        let place = link.split(separator: ":").dropFirst().first?.split(separator: "/").first
        switch place {
        case _ where isQuestion: return "Opened. It waits for an answer: todoctl flow list"
        case "repos": return "Opened. To see them: todoctl repos"
        case "posts": return "Opened. To read them: todoctl posts"
        case "flows": return "Opened. It waits for an answer: todoctl flow list"
        default: return "Opened."
        }
    }
}
