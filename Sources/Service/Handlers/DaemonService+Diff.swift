import Expressions
import Reducing
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func diff(_ input: DiffMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let (from, to) = (try input.from.moment("from"), try input.to.moment("to"))
        let path = try input.path.map { text throws(APIError) in try Path(sent: text, of: App.shape) }
        let (more, isPatch) = (reply.more, input.patch == true)
        answer(reply) { [timeline] stream in
            let differences = try await timeline.diff(from, to, at: path)
            try await stream.end(list: differences.changes, inPages: more, bytes: \.approximateBytes) {
                DiffMethod.Output(differences, $0, isPatch: isPatch)
            }
        }
    }
}

extension DiffMethod.Output {
    fileprivate init(_ differences: Differences, _ page: [Change], isPatch: Bool) {
        self.init(
            from: differences.from, to: differences.to, changes: isPatch ? nil : page,
            patch: isPatch ? PatchOperation.operations(of: page).map(\.value) : nil)
    }
}
