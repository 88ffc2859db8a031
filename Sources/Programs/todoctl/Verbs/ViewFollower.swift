import Chronicle
import Dates
import TodoAPI

/// Follows the view of a feature, across restarts of the daemon.
final class ViewFollower {
    private let session: Session
    private let feature: String
    private var following = FollowState()
    // The incomplete pages of a view, and the last record that was shown.
    private var view: Value?
    private var shown: UInt64?

    init(_ feature: String, _ session: Session) {
        self.feature = feature
        self.session = session
    }

    /// Ends only with an error.
    func run() throws(Failure) {
        let input = { [self] in
            view = nil
            return SubscribeMethod.Input(kind: "view", feature: feature)
        }
        try session.client.follow(SubscribeMethod.self, input, isLive: true) { [self] answer throws(Failure) in
            let reply = try answer.output()
            if following.reach(reply) {
                FollowState.tellChange(to: reply.epoch)
                shown = nil
            }
            if session.isJSON { session.output.json(answer.members) } else { show(reply) }
            session.output.flush()
            return .more
        }
    }

    private func show(_ reply: SubscribeMethod.Output) {
        if let page = reply.view {
            if view == nil { view = page } else { view?.append(page: page) }
            guard reply.complete, let whole = view else { return }
            view = nil
            // The whole view is sent again after a restart.
            if reply.sequence != shown { session.show(Tree.lines(whole, of: feature)) }
        } else {
            let time = session.moment(reply.time).text
            session.show((reply.changes ?? []).map { "\(time)  \(ChangeLines.line($0, in: feature, paint: session.paint))" })
        }
        shown = reply.sequence
    }
}
