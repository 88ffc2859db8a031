import ArgumentParser
import TodoAPI

struct DebugOn: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Tell of the actions of a feature, in the daemon's log and to debug tail.",
        discussion: """
            EXAMPLES:
              todoctl debug on counter
            """)

    @OptionGroup var options: Options

    @OptionGroup var named: DebuggedFeature

    func run() throws { try named.turn(on: true, options) }
}
