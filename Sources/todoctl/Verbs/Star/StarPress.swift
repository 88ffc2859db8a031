import ArgumentParser
import Reducing
import TodoAPI

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
