import AppFeature
import Expressions
import Reducing
import TimeTravel
import TodoAPI
import VarlinkNIO

extension TodoService {
    private static let pageChangesMax = 256

    func diff(_ input: DiffMethod.Input, _ reply: ReplyHandle) throws(APIError) {
        let (from, to) = (try input.from.moment("from"), try input.to.moment("to"))
        let path = try input.path.map { text throws(APIError) in try Path(sent: text) }
        let (more, isPatch) = (reply.more, input.patch == true)
        answer(reply) { [timeline] stream in
            let differences = try await timeline.diff(from, to, at: path)
            guard more else {
                return try stream.endWhole(DiffMethod.Output(differences, differences.changes, isPatch: isPatch))
            }
            var pages = ChangePages(differences.changes)
            var page = pages.next(of: Self.pageChangesMax)
            while pages.hasMore {
                try await stream.send(DiffMethod.Output(differences, page, isPatch: isPatch))
                page = pages.next(of: Self.pageChangesMax)
            }
            stream.end(DiffMethod.Output(differences, page, isPatch: isPatch))
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
