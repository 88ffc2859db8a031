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

            Shows the record, its changes and its cause. Up to 2,000,000 records are checked one by one; beyond that, or with
            --quick, a binary search is used, which is exact only if the condition became true once. --linear always checks all.
            The exit status is 1 if there is no such record. With --json, the cause is a second line, as from
            org.todod.History.Why.

            With --exec, a program gets the state as JSON on standard input. Its exit status is as for git bisect run: 0 good, 1
            to 127 bad, 125 unknown; above 127, the search ends.
            """)

    @OptionGroup var options: Options

    @Option(name: .customLong("where"), help: ArgumentHelp("The condition.", valueName: "expression"))
    var expression: String?

    @Option(help: ArgumentHelp("Program to run instead of a condition.", valueName: "program"))
    var exec: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Point at which it does not hold (default: start).", valueName: "point"),
        completion: .moments)
    var good: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Later point at which it holds (default: now).", valueName: "point"),
        completion: .moments)
    var bad: String?

    @Flag(help: "Check every record.")
    var linear = false

    @Flag(help: "Use a binary search.")
    var quick = false

    func validate() throws {
        guard (expression == nil) != (exec == nil) else { throw ValidationError("Give either --where or --exec.") }
        if exec != nil, linear || quick { throw ValidationError("--exec uses a binary search: omit --linear and --quick.") }
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
                    ? "The condition already holds at record \(from), where the search begins."
                    : isHalving
                        ? "The condition holds at none of the checked records from \(from) to \(to). --linear checks all of them."
                        : "The condition holds at none of the records from \(from) to \(to).")
        }
        try session.show(WhyMethod.self, .init(sequence: sequence)) { why in
            let flips = answer.flips ?? 1
            var lines = [
                "The condition became true with record \(sequence).",
                !isHalving
                    ? "Every record from \(from) on was checked."
                    : flips > 1
                        ? "Found by binary search: between the checked records it changed \(Digits.counted(flips, "time")); --linear finds the first."
                        : "Found by binary search, which is exact if it became true once.",
            ]
            lines += (answer.changes ?? []).map { "    " + ChangeLines.line($0, paint: session.paint) }
            if answer.cut == true {
                lines.append("    To see all of its changes: todoctl diff \(sequence - 1) \(sequence)")
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
            let why = good.verdict == .skipped ? "The program can't judge" : "The program does not accept"
            throw Failure(.refused, "\(why) record \(good.sequence), where the search begins.")
        }
        let bad = try judge(try session.point(bad, edge: .end) ?? Point(bookmark: "now"))
        guard good.sequence <= bad.sequence else {
            throw Failure(.usage, "invalid range: it begins at \(good.sequence) and ends before that, at \(bad.sequence).")
        }
        guard bad.verdict == .bad else {
            let why = bad.verdict == .skipped ? "The program can't judge" : "The program accepts"
            throw Failure(.refused, "\(why) record \(bad.sequence), where the search ends.")
        }
        var search = ProgramBisection(good: good.sequence, bad: bad.sequence)
        while let moment = search.next { search.take(try judge(Point(sequence: moment)).verdict, of: moment) }
        progress.clear()
        let (first, last) = (search.candidates.lowerBound, search.candidates.upperBound)
        guard first == last else {
            throw Failure(.refused, "The first bad record is one of \(first) to \(last); those before \(last) can't be judged.")
        }
        try session.show(WhyMethod.self, .init(sequence: first)) { why in
            ["The first bad record is \(first), found by binary search."] + session.lines(why: why)
        }
    }
}
