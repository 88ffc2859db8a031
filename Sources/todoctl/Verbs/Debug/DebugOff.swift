import ArgumentParser
import TodoAPI

struct DebugOff: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off", abstract: "Tell of the actions of a feature no longer.",
        discussion: """
            EXAMPLES:
              todoctl debug off counter
            """)

    @OptionGroup var options: Options

    @OptionGroup var named: DebuggedFeature

    func run() throws { try named.turn(on: false, options) }
}
