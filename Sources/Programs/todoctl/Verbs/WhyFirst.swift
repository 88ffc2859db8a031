import ArgumentParser
import Chronicle

struct WhyFirst: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "why-first",
        abstract: "Show why a todo stands where list --sort urgency has it.",
        discussion: """
            EXAMPLES:
              todoctl why-first 3
              todoctl list --sort urgency --limit 5

            Each line is a part of its urgency: what it comes to, of how much at most, and why. The manual has the table.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The todo's id.", completion: .todos)
    var id: Int64

    func run(_ session: Session) throws {
        let todo = try session.todo(id).todo
        let urgency = Urgency(
            now: session.now, zone: session.zone, blocking: try session.blocking(), weights: Settings.user.file.weights)
        guard session.isJSON else {
            session.output.line(session.paint("\(todo.id): \(Visible.text(todo.title))", .bold))
            return session.show(urgency.lines(todo, width: session.width))
        }
        let parts = Urgency.Part.allCases.map { part -> Value in
            [
                "name": .text(part.rawValue), "hundredths": .int(Int64(urgency.points(of: todo, for: part))),
                "weight": .int(Int64(urgency.weight(of: part))),
            ]
        }
        let sum = Value.int(Int64(urgency.points(of: todo)))
        session.output.json(["id": .int(todo.id), "hundredths": sum, "parts": .list(parts)] as Value)
    }
}
