import ArgumentParser
import Glibc
import TodoAPI

struct Options: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(name: .shortAndLong, help: "Print the daemon's replies as JSON, one object a line.")
    var json = false

    func session(patience: Int64 = Client.patience, _ body: (Session) throws -> Void) throws {
        try run(try Session(self, SocketSearch(option: socket), patience: patience), body)
    }

    /// Runs a verb that calls a fork's daemon, whether or not it is running.
    func session(of fork: ForkPlace, _ body: (Session) throws -> Void) throws {
        try run(try Session(self, SocketSearch { fork.socket }), body)
    }

    private func run(_ session: Session, _ body: (Session) throws -> Void) throws {
        defer { session.output.flush() }
        Times.ask(at: session.client.socket)
        do { try body(session) } catch let failure as Failure { throw failure.namingMissingFeature(of: session.client) }
    }
}

protocol SessionCommand: ParsableCommand {
    var options: Options { get }

    func run(_ session: Session) throws
}

extension SessionCommand {
    func run() throws { try options.session { try run($0) } }
}

struct PointOption: ParsableArguments {
    @Option(
        name: .customLong("at"), parsing: .unconditional,
        help: ArgumentHelp(
            "Show it as it was: a record, -3 (records back), \"yesterday 9:00\", a bookmark.", valueName: "point"),
        completion: .moments)
    var text: String?

    func point(_ session: Session) throws(Failure) -> Point? { try session.point(text, edge: .moment) }
}

struct MomentRange: ParsableArguments {
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The first moment; the start, if left out.", valueName: "point"),
        completion: .moments)
    var from: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The last moment; now, if left out.", valueName: "point"),
        completion: .moments)
    var to: String?

    /// The named points; a day extends from its start to its end.
    func points(_ session: Session) throws(Failure) -> (first: Point?, last: Point?) {
        (try session.point(from, edge: .beginning), try session.point(to, edge: .end))
    }
}

struct Consent: ParsableArguments {
    @Flag(name: [.customShort("n"), .long], help: "Only say what would be done.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Don't ask; with --dry-run nothing is done all the same.")
    var yes = false

    /// Returns with `--yes` or if the user confirms.
    ///
    /// - Throws: if the user declines, or without a terminal.
    func ask(_ question: String, _ session: Session) throws(Failure) {
        if yes { return }
        guard isatty(0) == 1, !session.isJSON else {
            throw Failure(.usage, "Not a terminal: use --yes or --dry-run.")
        }
        session.output.flush()
        Output.note("\(question) [y/N] ")
        let answer = readLine() ?? ""
        guard ["y", "yes"].contains(answer.lowercased()) else { throw Failure(.refused, "Nothing was done.") }
    }
}

/// Parses numbers of the command line; errors name the valid range.
///
/// Their options use `.unconditional` parsing, so that `-1` is refused as a number instead of an option.
enum Numeral {
    /// A whole number with a minimum; the error for a number that is too large names the maximum.
    static func whole<Number: FixedWidthInteger & Sendable>(from least: Number) -> @Sendable (String) throws -> Number {
        { text in
            guard let number = Number(text), number >= least else {
                let isNumber = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                let most = isNumber && Number(text) == nil ? " to \(Number.max)" : ""
                throw ValidationError("a whole number from \(least)\(most) is expected.")
            }
            return number
        }
    }

    static func whole(in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
        { text in
            guard let number = Int(text), range.contains(number) else {
                throw ValidationError("a whole number from \(range.lowerBound) to \(range.upperBound) is expected.")
            }
            return number
        }
    }

    @Sendable static func seconds(_ text: String) throws -> Double {
        guard let number = Double(text), 0...1_000_000_000 ~= number else {
            throw ValidationError("a number of seconds from 0 is expected.")
        }
        return number
    }

    @Sendable static func speed(_ text: String) throws -> Double {
        guard let number = Double(text), 0.001...1_000_000 ~= number else {
            throw ValidationError("a number from 0.001 to 1000000 is expected.")
        }
        return number
    }
}
