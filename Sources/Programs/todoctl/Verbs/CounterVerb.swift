import ArgumentParser
import Chronicle
import TodoAPI

struct CounterVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "counter", abstract: "Change or show the counter.",
        discussion: """
            EXAMPLES:
              todoctl counter increment
              todoctl counter decrement
              todoctl counter reset
              todoctl counter show
              todoctl counter show --at yesterday

            On a terminal a positive count is green, a negative one red.
            """)

    enum Step: String, CaseIterable, ExpressibleByArgument {
        case increment
        case decrement
        case reset
        case show
    }

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(help: "increment, decrement, reset or show.")
    var step = Step.show

    func validate() throws {
        if moment.text != nil, step != .show { throw ValidationError("--at is for counter show: the past does not change.") }
    }

    func run(_ session: Session) throws {
        if step != .show {
            try session.change([TodoAction.counter(step.rawValue)]) { _ in [] }
            if session.isJSON { return }
        }
        try session.pages(.init(scope: "counter.count", at: moment.point(session))) { page throws(Failure) in
            if session.isJSON {
                session.output.json(page)
            } else {
                let count = page.state["counter"]?["count"]?.int ?? 0
                let text = session.paint(String(count), CounterVerb.colour(count))
                session.output.line(step == .show ? text : "The counter is at \(text).")
            }
            return .enough
        }
    }

    /// Green above zero, red below, `nil` at zero.
    static func colour(_ count: Int64) -> Paint.Colour? { count > 0 ? .green : count < 0 ? .red : nil }
}
