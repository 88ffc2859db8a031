import ArgumentParser
import Terminal
import TodoAPI
import Varlink

struct ExplainVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain an error or an exit status.",
        discussion: """
            Without a name, lists all errors. The errors of features need a running daemon.

            EXAMPLES:
              todoctl explain StaleSequence
              todoctl explain 75
              todoctl explain
              todoctl explain --json
            """)

    @OptionGroup var options: Options

    @Argument(
        help: ArgumentHelp("An error, or an exit status of todoctl or todod.", valueName: "error"),
        completion: .custom { _, _, _ in ErrorDescription.all.map(\.short) })
    var name: String?

    func run() throws { try options.session(patience: 0) { try run($0) } }

    func run(_ session: Session) throws {
        if let number = name.flatMap({ Int32($0) }) {
            let status = try StatusDescription(number)
            if session.isJSON { session.output.json(status.members) } else { session.show(status.lines(session.paint)) }
            return
        }
        if let error = name.flatMap({ ErrorDescription.named($0) }) { return show(error, session) }
        let errors = ErrorDescription.all + ((try? session.client.refusals()) ?? [])
        guard let name else {
            let width = errors.map(\.short.utf8.count).max() ?? 0
            return errors.forEach { error in
                session.isJSON ? session.output.json(error.members) : session.output.line(error.row(width, session.paint))
            }
        }
        guard let error = ErrorDescription.named(name, among: errors) else {
            let question = Spelling.question(about: name, among: errors.map(\.short)).map { "; \($0)" } ?? "."
            throw Failure(
                .usage, "There is no error named \(Visible.text(name))\(Visible.text(question))\nTo see all: todoctl explain")
        }
        show(error, session)
    }

    private func show(_ error: ErrorDescription, _ session: Session) {
        if session.isJSON { session.output.json(error.members) } else { session.show(error.lines(session.paint)) }
    }
}

extension ErrorDescription {
    fileprivate var members: [Value.Field] {
        let said = sentence.map { [Value.Field("sentence", .text($0))] } ?? []
        return [
            .init("error", .text(name)), .init("status", .int(Int64(code.rawValue))), .init("meaning", .text(meaning)),
            .init("cause", .text(cause)), .init("remedy", .text(remedy)),
        ] + said
    }

    fileprivate func row(_ width: Int, _ paint: Paint) -> String {
        let name = paint(Width.padded(Visible.text(short), to: width), .bold)
        return "\(name)  \(Width.padded(String(code.rawValue), to: 2))  \(Visible.text(meaning))"
    }

    fileprivate func lines(_ paint: Paint) -> [String] {
        let rows = [
            ("meaning", meaning), ("message", sentence ?? ""), ("usual cause", cause), ("what to do", remedy),
            ("exit status", "\(code.rawValue): \(code.sentence)"),
        ]
        return ["\(paint(Visible.text(short), .bold)) (\(Visible.text(name)))"]
            + rows.filter { !$0.1.isEmpty }.map { "  \(Width.padded($0.0, to: 11))  \(Visible.text($0.1))" }
    }
}

/// The meaning of an exit status of todoctl or todod.
private struct StatusDescription {
    private let number: Int32
    private let meanings: [(program: String, sentence: String)]
    private let errors: [String]

    init(_ number: Int32) throws(Failure) {
        let client = number == 0 ? "It was done." : Failure.Code(rawValue: number)?.sentence
        meanings = [("todoctl", client), ("todod", ExitStatus(rawValue: number)?.sentence)].compactMap { program, sentence in
            sentence.map { (program, $0) }
        }
        guard !meanings.isEmpty else {
            let known = Set([0] + Failure.Code.allCases.map(\.rawValue) + ExitStatus.allCases.map(\.rawValue)).sorted()
            throw Failure(
                .usage,
                "Neither todoctl nor todod ends with \(number); they end with \(known.map(String.init).joined(separator: ", ")).")
        }
        self.number = number
        errors = ErrorDescription.all.filter { $0.code.rawValue == number }.map(\.short)
    }

    var members: [Value.Field] {
        [.init("status", .int(Int64(number)))] + meanings.map { .init($0.program, .text($0.sentence)) }
            + [.init("errors", .list(errors.map { .text($0) }))]
    }

    func lines(_ paint: Paint) -> [String] {
        let rows = meanings.map { "\(paint(Width.padded($0.program, to: 7), .bold))  \($0.sentence)" }
        return rows + (errors.isEmpty ? [] : ["errors   \(errors.joined(separator: ", "))"])
    }
}
