import ArgumentParser
import Reducing
import TodoAPI

struct FlowAnswer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answer a question that is open.",
        discussion: """
            EXAMPLES:
              todoctl flow answer 1 C++
            """)

    @OptionGroup var options: Options

    @Argument(help: "The question's id.")
    var id: Int64

    @Argument(help: "The answer.")
    var words: [String]

    func run() throws {
        let payload: Value = ["id": .int(id), "text": .text(words.joined(separator: " "))]
        try options.session { session in
            try session.change([FeatureAction.make("flows", "answer", payload)]) { _ in ["Answered."] }
        }
    }
}
