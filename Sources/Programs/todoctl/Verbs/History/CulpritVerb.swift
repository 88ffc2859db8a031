import ArgumentParser
import TodoAPI

struct CulpritVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "culprit", abstract: "Find the steps without which a condition would not hold now.",
        discussion: """
            EXAMPLES:
              todoctl culprit --where 'counter.count > 10'
              todoctl culprit --where 'count(todos.items) == 0' --from yesterday

            Histories without some of the last 1,000 steps are tried, as todoctl whatif --skip would; nothing is changed. What is found is the
            smallest set of steps, as far as that can be told: without all but one of them the condition would still hold. After a
            minute the smallest that was found until then is shown. Exit status 1 if there is none.
            """)

    @OptionGroup var options: Options

    @Option(name: .customLong("where"), help: ArgumentHelp("The condition.", valueName: "expression"))
    var expression: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only steps that began with this record, or in that time or later.", valueName: "point"),
        completion: .moments)
    var from: String?

    func run() throws {
        try options.session { session in
            let input = CulpritMethod.Input(expression: expression, from: try session.point(from, edge: .beginning))
            let last = try Self.last(input, session)
            let answer = try last.output()
            if session.isJSON { session.output.json(last.members) }
            switch answer.outcome {
            case "found": break
            case "doesNotHold": throw Failure(.refused, "It does not hold now.")
            default: throw Failure(.refused, Self.sentence(of: answer))
            }
            guard !session.isJSON else { return }
            let steps = answer.steps ?? []
            let lines = try session.lines(steps: steps, session.client)
            session.show(
                ["Without \(steps.count == 1 ? "this step" : "these \(steps.count) steps") it would not hold:"]
                    + lines.map { "    " + $0 }
                    + [Self.certainty(of: answer)]
            )
            let skips = steps.map { " --skip \($0.step)" }.joined()
            if session.isTerminal { session.show(["(todoctl whatif\(skips))"]) }
        }
    }

    /// The answer; until it comes a person sees how many histories were tried.
    private static func last(_ input: CulpritMethod.Input, _ session: Session) throws(Failure) -> Answer<CulpritMethod> {
        var progress = Progress()
        defer { progress.clear() }
        var last: Answer<CulpritMethod>?
        try session.client.stream(CulpritMethod.self, input) { answer throws(Failure) in
            last = answer
            let reply = try answer.output()
            if reply.outcome == nil { progress.show("\(Digits.counted(reply.tried, "history", "histories")) tried") }
            return .more
        }
        guard let last else { throw Failure.unexpected("The daemon did not answer.") }
        return last
    }

    /// That nothing was found.
    private static func sentence(of answer: CulpritMethod.Output) -> String {
        let count = answer.candidates ?? 0
        if count == 0 { return "It holds, and there is no step that could be left out." }
        if count == 1 { return "It would hold even without the one step that was looked at." }
        let all = "It would hold even with none of the \(Digits.counted(count, "step", "steps")) that were looked at"
        let tried = Digits.counted(answer.tried, "history", "histories")
        return answer.cut == true
            ? all + "; not each was left out alone in \(tried). With --from there are fewer to try."
            : all + ", and without any one of them alone."
    }

    private static func certainty(of answer: CulpritMethod.Output) -> String {
        if answer.smallest == true { return "No smaller set of steps does." }
        let tried = Digits.counted(answer.tried, "history", "histories")
        return answer.cut == true
            ? "That is the smallest set that was found in \(tried), and not proven to be the smallest. With --from there are fewer to try."
            : "A smaller set of steps may do as well."
    }
}
