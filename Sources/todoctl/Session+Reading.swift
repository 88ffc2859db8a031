import Reducing
import TodoAPI
import Varlink

extension Session {
    /// A scope with all of its pages put together, at or after a sequence.
    func whole(_ scope: String?, atLeast minimum: UInt64? = nil, at point: Point? = nil) throws(Failure) -> StatePage {
        var whole: StatePage?
        let frame = Frame.call(GetStateMethod.self, .init(scope: scope, minimumSequence: minimum, at: point), more: true)
        // A daemon that went away in the middle may come back with another state: all of it is asked for again.
        let again = {
            whole = nil
            return frame
        }
        try client.follow(again) { members throws(Failure) in
            guard let page = StatePage(members) else {
                throw Failure.unexpected("The daemon sent a state without a sequence.")
            }
            if whole == nil { whole = page } else { whole?.state.append(page: page.state) }
            return .more
        }
        guard let whole else { throw Failure.unexpected("The daemon sent no state.") }
        return whole
    }

    /// Shows a scope: as JSON, or in the lines that `lines` makes of it.
    func show(_ scope: String, at point: Point? = nil, _ lines: (JSON) -> [String]) throws(Failure) {
        let page = try whole(scope, at: point)
        if isJSON { return output.json(page.members) }
        tellMoment(page.members)
        for line in lines(page.state) { output.line(line) }
    }

    /// Shows what a feature shows of its state: as JSON, or in the lines that `lines` makes of it.
    func view(_ feature: String, at point: Point? = nil, _ lines: (JSON) -> [String]) throws(Failure) {
        let reply = try client.call(Frame.call(ViewMethod.self, .init(feature: feature, at: point)))
        if isJSON { return output.json(reply) }
        tellMoment(reply)
        for line in lines(reply["view"] ?? .null) { output.line(line) }
    }
}
