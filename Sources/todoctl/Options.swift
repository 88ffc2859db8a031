import ArgumentParser

/// What every verb understands.
struct Options: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Print the daemon's replies as JSON, one object a line.")
    var json = false

    /// Runs a verb and writes its output, also when it fails half way.
    func session(patience: Int64 = Client.patience, _ body: (Session) throws -> Void) throws {
        let session = try Session(self, patience: patience)
        defer { session.output.flush() }
        try body(session)
    }
}
