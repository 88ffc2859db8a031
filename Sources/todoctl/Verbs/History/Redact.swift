import ArgumentParser
import TodoAPI
import Varlink

struct Redact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take the texts out of a record, for good.",
        discussion: """
            EXAMPLES:
              todoctl redact 57
              todoctl redact @-1

            Its texts become ⟨redacted⟩ in the log and in all states, past and present; ids and numbers stay. Other records with the
            same text are named; they stay as they are, and so do exports and backups. The file keeps freed pages until todoctl compact.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The record: its sequence, or @-3 for the third before the last.")
    var record: String

    func run() throws {
        try options.session { session in
            let sequence = try session.record(record)
            let answer = try session.client.call(Frame.call(RedactMethod.self, .init(sequence: sequence)))
            if session.isJSON { return session.output.json(answer) }
            session.output.line("Took the texts out of record \(sequence).")
            let copies = (answer["copies"]?.array ?? []).compactMap(\.int).map(String.init)
            if !copies.isEmpty {
                let (which, hold) = copies.count == 1 ? ("Record", "holds") : ("Records", "hold")
                session.output.line("\(which) \(copies.joined(separator: ", ")) \(hold) one of them, too.")
            }
            if let archive = answer["archive"]?.string {
                session.output.line(
                    "What came before the log was compacted may, too; its records are in \(Visible.text(archive)).")
            }
        }
    }
}
