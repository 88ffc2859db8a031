import ArgumentParser
import Glibc
import Terminal
import TodoAPI
import Varlink

struct ExplainVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say what an error or an exit status means, and what to do about it.",
        discussion: """
            Needs no daemon. Without a name, a table of all errors.

            EXAMPLES:
              todoctl explain StaleSequence
              todoctl explain 75
              todoctl explain
              todoctl explain --json
            """)

    @Flag(name: .shortAndLong, help: "Print JSON, one object a line.")
    var json = false

    @Argument(
        help: ArgumentHelp("An error, or an exit status of todoctl or todod.", valueName: "error"),
        completion: .custom { _, _, _ in ErrorDescription.all.map(\.short) })
    var name: String?

    func run() throws {
        var output = Output()
        defer { output.flush() }
        let paint = Paint(isTerminal: isatty(1) == 1, environment: Environment.variable)
        guard let name else {
            for error in ErrorDescription.all {
                if json { output.json(error.members) } else { output.line(Self.row(error, paint)) }
            }
            return
        }
        if let number = Int32(name) {
            let status = try StatusDescription(number)
            if json { output.json(status.members) } else { status.lines(paint).forEach { output.line($0) } }
            return
        }
        guard let error = ErrorDescription.named(name) else {
            let question = Spelling.question(about: name, among: ErrorDescription.all.map(\.short)).map { "; \($0)" } ?? "."
            throw Failure(.usage, "There is no error named \(Visible.text(name))\(question)\nTo see all: todoctl explain")
        }
        if json { output.json(error.members) } else { error.lines(paint).forEach { output.line($0) } }
    }

    private static func row(_ error: ErrorDescription, _ paint: Paint) -> String {
        let width = ErrorDescription.all.map(\.short.utf8.count).max() ?? 0
        let name = Width.padded(error.short, to: width)
        return "\(paint(name, .bold))  \(Width.padded(String(error.code.rawValue), to: 2))  \(error.meaning)"
    }
}

extension ErrorDescription {
    /// As JSON.
    fileprivate var members: [Value.Field] {
        let said = sentence.map { [Value.Field("sentence", .text($0))] } ?? []
        return [
            .init("error", .text(name)), .init("status", .int(Int64(code.rawValue))), .init("meaning", .text(meaning)),
            .init("cause", .text(cause)), .init("remedy", .text(remedy)),
        ] + said
    }

    /// For a person.
    fileprivate func lines(_ paint: Paint) -> [String] {
        let said = sentence.map { ["  it says      \($0)"] } ?? []
        return ["\(paint(short, .bold)) (\(name))", "  meaning      \(meaning)"] + said + [
            "  usual cause  \(cause)", "  what to do   \(remedy)", "  exit status  \(code.rawValue): \(code.sentence)",
        ]
    }
}

/// What an exit status of todoctl, or of todod, means.
private struct StatusDescription {
    private let number: Int32
    /// What it means, by the program that ends with it.
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
        let told = meanings.map { "\(paint(Width.padded($0.program, to: 7), .bold))  \($0.sentence)" }
        return told + (errors.isEmpty ? [] : ["errors   \(errors.joined(separator: ", "))"])
    }
}
