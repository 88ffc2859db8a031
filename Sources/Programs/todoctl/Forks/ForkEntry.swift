import Chronicle
import Dates
import TodoAPI

struct ForkEntry {
    private let place: ForkPlace
    private let fork: ForkMessage
    private let isRunning: Bool
    /// Number of new records; `nil` if the daemon does not run or the log is shorter than the original part.
    let records: UInt64?

    init(_ place: ForkPlace) throws(Failure) {
        self.place = place
        let fork = try place.read()
        self.fork = fork
        let last = try ForkDaemon(place: place).sequence()
        isRunning = last != nil
        // The first record of a fork only holds its commands.
        records = last.flatMap { $0 > fork.sequence ? $0 - fork.sequence - 1 : nil }
    }

    /// Prints the error of a fork, as JSON or in a line.
    static func show(_ failure: Failure, of place: ForkPlace, _ session: Session) {
        guard session.isJSON else {
            return session.output.line("\(place.name)  \(failure.message.split(separator: "\n").joined(separator: " "))")
        }
        session.output.json([.init("name", .text(place.name)), .init("error", .text(failure.message))])
    }

    /// Prints the entry as JSON or in lines.
    func show(_ session: Session, _ lines: (String) -> [String]) throws(Failure) {
        guard session.isJSON else { return session.show(lines(line(session))) }
        var members: [Value.Field] = []
        var bytes: [UInt8] = []
        fork.write(into: &bytes)
        for field in (try? Value(parsing: bytes))?.record ?? [] where field.name != "socket" { members.append(field) }
        members += [.init("of", .text(fork.socket)), .init("socket", .text(place.socket)), .init("running", .bool(isRunning))]
        if let records { members.append(.init("records", .int(Int64(clamping: records)))) }
        session.output.json(members)
    }

    private func line(_ session: Session) -> String {
        let time = fork.time.map { ", \(session.moment($0).text)" } ?? ""
        let since = records.map { ", \(Digits.counted($0, "record")) since" } ?? ""
        return "\(place.name)  from record \(fork.sequence)\(time)\(since)\(isRunning ? "" : "; stopped")"
    }
}
