import Chronicle
import TodoAPI

/// A request to add or remove a star, from the dispatch to its end.
struct StarRequest {
    private let session: Session
    private let id: String
    private var epoch: UInt64
    private var next: UInt64
    // The record of the request; `nil` if one was pending already.
    private var asked: UInt64?

    /// Presses the button, or joins the pending request.
    init(pressing id: String, _ session: Session) throws(Failure) {
        self.session = session
        self.id = id
        while true {
            let pressed = try session.dispatch([FeatureAction.make("stars", "press", ["id": .text(id)])])
            epoch = pressed.epoch
            if let first = pressed.sequences.first {
                (next, asked) = (first, first)
                if pressed.commandsHeld == true, !session.isJSON { Output.complain(CommandNotice.held) }
                return
            }
            let page = try session.whole("stars.items")
            next = page.sequence + 1
            guard let star = StarLine.stars(page.state, only: id).first?.value, let phase = star["phase"]?.text,
                phase.hasSuffix("staring")
            else { continue }
            if !session.isJSON { show(phase) }
            return
        }
    }

    mutating func finish() throws(Failure) {
        var (next, reason): (UInt64, String?) = (self.next, nil)
        let (scope, epoch) = ("stars", self.epoch)
        let input = {
            SubscribeMethod.Input(scope: scope, from: Point(sequence: next), kind: "records", epoch: epoch)
        }
        let take = { (answer: Answer<SubscribeMethod>) throws(Failure) -> Demand in
            let reply = try answer.output()
            next = reply.sequence + 1
            for record in reply.records {
                guard let step = record.action?["stars"]?.record?.first, step.value["id"]?.text?.hasSameBytes(as: id) == true
                else { continue }
                if session.isJSON { session.output.json(record) }
                switch step.name {
                case "starred", "unstarred":
                    if !session.isJSON { show(step.name == "starred" ? "star" : "unstar") }
                    return .enough
                case "failed":
                    reason = step.value["reason"]?.text ?? "no reason given"
                    return .enough
                default: if !session.isJSON { show(step.name) }
                }
                session.output.flush()
            }
            return .more
        }
        do throws(Failure) {
            try session.client.follow(SubscribeMethod.self, input, take)
        } catch {
            throw FollowState.explained(error, "To see the star: todoctl star show \(Visible.text(id))")
        }
        self.next = next
        if let reason { throw Failure(.refused, "The star of \(Visible.text(id)) is unchanged: \(Visible.text(reason))") }
        session.show(session.undoHint(asked))
    }

    private func show(_ phase: String) {
        session.output.line(StarLine.text(id, phase: phase))
        session.output.flush()
    }
}
