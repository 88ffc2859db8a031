import Records
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func why(_ input: WhyMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        // A moment, but no record, which no log ever has.
        guard input.sequence > 0 else { throw .invalidParameter("sequence") }
        answer(reply) { [history, files] stream in
            var output = WhyMethod.Output(try await history.why(input.sequence), archive: files.log.base?.archive)
            output.cut(to: AnswerLimits.bytesMax)
            stream.end(output)
        }
    }
}

extension WhyMethod.Output {
    /// The tree as a list: each record but the roots says by its cause where it hangs.
    fileprivate init(_ explanation: Explanation<some DaemonApp>, archive: String?) {
        self.init(
            sequence: explanation.sequence, roots: explanation.roots.map(\.record.header.sequence), records: [], fates: [],
            cut: explanation.isCut, archive: explanation.roots.contains { $0.record.header.cause != nil } ? archive : nil)
        var rest = explanation.roots
        while let node = rest.popLast() {
            records.append(RecordMessage(node.record))
            for branch in node.commands {
                fates.append(CommandFateMessage(branch))
                rest += branch.results
            }
        }
        records.sort { $0.sequence < $1.sequence }
        fates.sort { ($0.id.sequence, $0.id.index) < ($1.id.sequence, $1.id.index) }
    }

    /// Leaves out what is too much for one answer: the last records, but never the first.
    fileprivate mutating func cut(to bytesMax: Int) {
        var bytes = 0
        let fitting = records.prefix { record in
            bytes += record.byteCount
            return bytes <= bytesMax
        }
        guard fitting.count < records.count else { return }
        cut = true
        records = Array(fitting.isEmpty ? records.prefix(1) : fitting)
        let last = records.last?.sequence ?? 0
        fates.removeAll { $0.id.sequence > last }
        roots.removeAll { $0 > last }
    }
}

extension CommandFateMessage {
    fileprivate init<App: DaemonApp>(_ branch: Explanation<App>.Branch) {
        let id = TodoAPI.CommandID(branch.id)
        switch branch.fate {
        case .presentational: self.init(id: id, fate: "shown")
        case .ended: self.init(id: id, fate: "ended")
        case .without: self.init(id: id, fate: "none")
        case .open(let row):
            self.init(
                id: id, fate: "open", stage: row.stage.name, attempts: row.attempts,
                reason: row.reason.isEmpty ? nil : row.reason, held: row.isHeld)
        }
    }
}
