public import Fields

extension Flows {
    /// Decides about an action as dispatched: a flow of any kind, which takes any text, unless a coordinator says more.
    ///
    /// Refusals: `KindEmpty`, `KindTooLong`, `TooManyFlows`, `IDsExhausted`, `UnknownFlow`, `FlowWaits`, `UnknownAnswer`, `AnswerTooLong`, `DeadlineTooFar`, and
    /// `FactNotAllowed` for what only coordinators say.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .start(let kind, let seconds):
            return try coordinate(to: kind, deadline: try deadline(after: seconds, context), in: state)

        case .answer(let id, let text):
            try requireAnswerable(id, text, in: state)
            return [.ended(id, result: text)]

        case .cancel(let id):
            try requireOpen(id, in: state)
            return withDescendants(of: id, in: state).map { .ended($0, result: nil) }

        case .timedOut(let id):
            // It was answered or cancelled meanwhile.
            guard state.items[id] != nil else { return [] }
            return withDescendants(of: id, in: state).map { $0 == id ? .timedOut($0) : .ended($0, result: nil) }

        case .started, .ended, .offered, .restore:
            throw Refusal("FactNotAllowed", "a flow is started, answered and cancelled; what comes of it only the daemon says")
        }
    }

    /// When a flow ends that waits so many seconds from now; 0: never.
    public static func deadline(after seconds: UInt64, _ context: Context) throws(Refusal) -> Int64 {
        guard seconds <= Limits.secondsMax else {
            throw Refusal("DeadlineTooFar", "a flow waits at most \(Limits.secondsMax) seconds, or for ever")
        }
        let (deadline, isTooLate) = context.time.addingReportingOverflow(Int64(seconds) * 1_000_000)
        return seconds == 0 || isTooLate ? 0 : deadline
    }

    /// Opens a flow.
    ///
    /// While one of its kind is open that one is meant: nothing is logged, or that another waits for it from now on. It may go
    /// from one that is above the new one, but not to one that is below itself.
    public static func coordinate(
        to kind: String, parent: UInt64 = 0, input: String = "", options: [String] = [], deadline: Int64 = 0,
        in state: State
    ) throws(Refusal) -> [Action] {
        guard !kind.utf8.isEmpty else { throw Refusal("KindEmpty", "a flow needs a kind") }
        guard kind.utf8.count <= Limits.kindBytesMax else {
            throw Refusal("KindTooLong", "the kind has \(kind.utf8.count) bytes, at most \(Limits.kindBytesMax) are allowed")
        }
        if var running = state.flow(of: kind) {
            guard parent != 0, parent != running.parent, !withDescendants(of: running.id, in: state).contains(parent),
                running.parent == 0 || withDescendants(of: running.parent, in: state).contains(parent)
            else { return [] }
            running.parent = parent
            return [.started(running)]
        }
        guard state.items.count < Limits.itemsMax else {
            throw Refusal("TooManyFlows", "\(state.items.count) flows are open, at most \(Limits.itemsMax) are allowed")
        }
        guard Limits.ids.contains(state.nextID) else { throw Refusal("IDsExhausted", "there are no ids left for another flow") }
        return [.started(Flow(id: state.nextID, kind: kind, parent: parent, options: options, input: input, deadline: deadline))]
    }

    /// The open flow of an id.
    @discardableResult
    public static func requireOpen(_ id: UInt64, in state: State) throws(Refusal) -> Flow {
        guard let flow = state.items[id] else { throw Refusal("UnknownFlow", "there is no open flow \(id)") }
        return flow
    }

    /// The open flow of an id, if it takes this answer now.
    @discardableResult
    public static func requireAnswerable(_ id: UInt64, _ text: String, in state: State) throws(Refusal) -> Flow {
        let flow = try requireOpen(id, in: state)
        if let child = state.child(of: id) {
            throw Refusal("FlowWaits", "flow \(id) waits for flow \(child.id); answer or cancel that one first")
        }
        guard text.utf8.count <= Limits.answerBytesMax else {
            throw Refusal(
                "AnswerTooLong", "the answer has \(text.utf8.count) bytes, at most \(Limits.answerBytesMax) are allowed")
        }
        guard flow.options.isEmpty || flow.options.contains(where: { $0.hasSameBytes(as: text) }) else {
            throw Refusal("UnknownAnswer", "flow \(id) takes one of these answers: \(flow.options.joined(separator: ", "))")
        }
        return flow
    }

    /// A flow and those below it, the innermost first.
    private static func withDescendants(of id: UInt64, in state: State) -> [UInt64] {
        var ids = [id]
        var position = 0
        while position < ids.count {
            let parent = ids[position]
            state.items.forEach { child, flow in
                if flow.parent == parent, !ids.contains(child) { ids.append(child) }
                return true
            }
            position += 1
        }
        return ids.reversed()
    }
}
