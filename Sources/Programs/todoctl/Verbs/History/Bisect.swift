import ArgumentParser
import Chronicle
import TodoAPI

struct Bisect: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect",
        abstract: "Find the first record after which a condition holds.",
        discussion: """
            EXAMPLES:
              todoctl bisect --where 'count(todos.items) > 100'
              todoctl bisect --where 'counter.count < 0' --good yesterday --bad now
              todoctl bisect --where 'any(t in todos.items: t.title == "Milk")' --quick
              todoctl bisect --exec ./check-state --good yesterday

            Shows the record, what it changed and why it is there. Up to 2,000,000 records are looked at one by one. With --quick, or
            where there are more, it is found by halves, which is right if the condition came true once; --linear looks at all of
            them all the same. Exit status 1 if there is none. With --json why it is there is a second line, that of
            org.todod.History.Why.

            With --exec a program judges, by halves: it gets the state as JSON on its standard input, and its exit status is as for git
            bisect run: 0 good, 1 to 127 bad, 125 it can't be told, above that the search ends.
            """)

    @OptionGroup var options: Options

    @Option(name: .customLong("where"), help: ArgumentHelp("The condition.", valueName: "expression"))
    var expression: String?

    @Option(help: ArgumentHelp("A program that judges instead of a condition.", valueName: "program"))
    var exec: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A moment at which it does not hold; the start, if left out.", valueName: "point"),
        completion: .moments)
    var good: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("A later one, at which it does; now, if left out.", valueName: "point"),
        completion: .moments)
    var bad: String?

    @Flag(help: "Look at every record, however many there are.")
    var linear = false

    @Flag(help: "Look for it by halves, however few records there are.")
    var quick = false

    func validate() throws {
        guard (expression == nil) != (exec == nil) else { throw ValidationError("Say --where or --exec.") }
        if exec != nil, linear || quick { throw ValidationError("With --exec it is looked for by halves.") }
        if linear, quick { throw ValidationError("--linear and --quick exclude each other") }
    }

    func run(_ session: Session) throws {
        guard let expression else { return try searchByProgram(session) }
        let last = try session.scan(
            .init(
                question: .first, expression: expression, from: try session.point(good, edge: .beginning),
                to: try session.point(bad, edge: .end), method: linear ? .linear : quick ? .halving : nil))
        let answer = try last.output()
        let (from, to) = (answer.from ?? 0, answer.to ?? 0)
        let isHalving = answer.method == .halving
        if session.isJSON { session.output.json(last.members) }
        guard answer.outcome == "found", let sequence = answer.sequence else {
            let held = answer.outcome == "heldAtStart"
            throw Failure(
                .refused,
                held
                    ? "It holds at record \(from) already, where the search begins."
                    : isHalving
                        ? "It holds at none of the records from \(from) to \(to) that were looked at. --linear looks at all of them."
                        : "It holds at none of the records from \(from) to \(to).")
        }
        try session.show(WhyMethod.self, .init(sequence: sequence)) { why in
            let flips = answer.flips ?? 1
            var lines = [
                "It came true with record \(sequence).",
                !isHalving
                    ? "Each record from \(from) on was looked at."
                    : flips > 1
                        ? "It was found by halves: between the moments looked at it changed \(Digits.counted(flips, "time")); --linear finds the first."
                        : "It was found by halves, which is right if it came true once.",
            ]
            lines += (answer.changes ?? []).map { "    " + ChangeLines.line($0, paint: session.paint) }
            if answer.cut == true {
                lines.append("    It changed more than is told here: todoctl diff \(sequence - 1) \(sequence) shows it.")
            }
            return lines + session.lines(why: why)
        }
    }

    private func searchByProgram(_ session: Session) throws {
        let (program, start) = (ExternalProgram(command: [exec ?? ""]), Point(bookmark: "start"))
        var progress = Progress()
        defer { progress.clear() }
        func judge(_ point: Point) throws -> (verdict: ProgramBisection.Verdict, sequence: UInt64) {
            let page = try session.whole(nil, at: point)
            let end = program.run(page.state.jsonBytes + [UInt8(ascii: "\n")])
            progress.show(record: page.sequence)
            guard case .status(let status) = end, let verdict = ProgramBisection.Verdict(status: status) else {
                throw Failure(.refused, "\(exec ?? "") ended the search at record \(page.sequence): \(end.failure ?? "").")
            }
            return (verdict, page.sequence)
        }
        let good = try judge(try session.point(good, edge: .beginning) ?? start)
        guard good.verdict == .good else {
            let why = good.verdict == .skipped ? "It can't be told" : "It is not good"
            throw Failure(.refused, "\(why) at record \(good.sequence), where the search begins.")
        }
        let bad = try judge(try session.point(bad, edge: .end) ?? Point(bookmark: "now"))
        guard good.sequence <= bad.sequence else {
            throw Failure(.usage, "The range begins at \(good.sequence) and ends before it, at \(bad.sequence).")
        }
        guard bad.verdict == .bad else {
            let why = bad.verdict == .skipped ? "It can't be told" : "It is not bad"
            throw Failure(.refused, "\(why) at record \(bad.sequence), where the search ends.")
        }
        var search = ProgramBisection(good: good.sequence, bad: bad.sequence)
        while let moment = search.next { search.take(try judge(Point(sequence: moment)).verdict, of: moment) }
        progress.clear()
        let (first, last) = (search.candidates.lowerBound, search.candidates.upperBound)
        guard first == last else {
            throw Failure(.refused, "It is one of the records \(first) to \(last); of those before the last it can't be told.")
        }
        try session.show(WhyMethod.self, .init(sequence: first)) { why in
            ["It became bad with record \(first), found by halves."] + session.lines(why: why)
        }
    }
}
