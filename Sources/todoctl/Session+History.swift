import TodoAPI
import Varlink

extension Session {
    /// Writes lines.
    func show(_ lines: [String]) {
        for line in lines { output.line(line) }
    }

    /// Asks something that takes a while, with the progress on a terminal, and gives all replies that are more than that.
    func research<M: Method>(
        _ method: M.Type, _ input: M.Input, isProgress: ([JSON.Member]) -> Bool
    ) throws(Failure) -> [[JSON.Member]] {
        var progress = Progress()
        defer { progress.clear() }
        var answers: [[JSON.Member]] = []
        try client.stream(Frame.call(method, input, more: true)) { members throws(Failure) in
            if isProgress(members) {
                progress.show(record: members["reached"]?.int ?? 0, of: members["last"]?.int)
            } else {
                answers.append(members)
            }
            return .more
        }
        return answers
    }

    /// One record of the log.
    func record(_ sequence: Int64) throws(Failure) -> JSON? {
        let point = Point(sequence: UInt64(clamping: sequence))
        let answers = try research(LogMethod.self, .init(from: point, to: point)) { _ in false }
        return answers.first?["records"]?.array?.first
    }

    /// Why a record is there, as the daemon answers.
    func why(_ sequence: UInt64) throws(Failure) -> [JSON.Member] {
        try client.call(Frame.call(WhyMethod.self, .init(sequence: sequence)))
    }

    /// That answer as a tree of causes, for a person.
    func lines(why answer: [JSON.Member]) -> [String] { CauseTree(answer, RecordLines(zone: zone, paint: paint)).lines }
}
