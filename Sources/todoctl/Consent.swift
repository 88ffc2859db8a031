import ArgumentParser
import Glibc

/// Asks before something is done that a person should have seen first.
struct Consent: ParsableArguments {
    @Flag(help: "Only say what would be done.")
    var dryRun = false

    @Flag(help: "Don't ask; with --dry-run nothing is done all the same.")
    var yes = false

    /// Whether it is to be done: with `--yes`, or when the person at the terminal says so.
    ///
    /// - Throws: when nobody is there to be asked.
    func isGiven(_ question: String, _ session: Session) throws(Failure) -> Bool {
        if yes { return true }
        guard isatty(0) == 1, !session.isJSON else {
            throw Failure(.usage, "Nobody is there to be asked. Say --yes, or --dry-run.")
        }
        session.output.flush()
        Output.note("\(question) [y/N] ")
        let answer = readLine() ?? ""
        guard ["y", "yes"].contains(answer.lowercased()) else {
            session.output.line("Nothing was done.")
            return false
        }
        return true
    }
}
