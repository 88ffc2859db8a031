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

            Does not wait for the request that it starts. Pressing again while one is under way does nothing.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The button's id.")
    var id: String

    func run() throws {
        try options.session { session in
            try session.change([FeatureAction.make("stars", "press", ["id": .text(id)])]) { answer in
                [answer.sequences.isEmpty ? "A request is under way; nothing was done." : "Pressed."]
            }
        }
    }
}
