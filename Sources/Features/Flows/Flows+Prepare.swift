public import Chronicle

extension Flows {
    /// Decides a dispatched action without a coordinator: a flow may have any kind and accepts any text.
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
            // It was answered or cancelled concurrently.
            guard state.items[id] != nil else { return [] }
            return withDescendants(of: id, in: state).map { $0 == id ? .timedOut($0) : .ended($0, result: nil) }

        case .started, .ended, .offered, .restore:
            throw refusal(.factNotAllowed, "only the daemon writes this event; start, answer or cancel the flow")
        }
    }

    /// Converts a timeout in seconds to a deadline; 0 for no deadline.
    public static func deadline(after seconds: Int64, _ context: Context) throws(Refusal) -> Int64 {
        guard 0...Limits.secondsMax ~= seconds else {
            throw refusal(.deadlineTooFar, "a flow waits at most \(Limits.secondsMax) seconds, or for ever")
        }
        let (deadline, isTooLate) = context.time.addingReportingOverflow(seconds * 1_000_000)
        return seconds == 0 || isTooLate ? 0 : deadline
    }

    /// Opens a flow.
    ///
    /// There is at most one open flow of a kind. If it exists, nothing is logged, or only that it gets a new parent. It can move away from
    /// an ancestor of the new parent, but can't become its own descendant.
    public static func coordinate(
        to kind: String, parent: UInt64 = 0, input: String = "", options: [String] = [], deadline: Int64 = 0,
        in state: State
    ) throws(Refusal) -> [Action] {
        guard !kind.utf8.isEmpty else { throw refusal(.kindEmpty, "a flow needs a kind") }
        guard kind.utf8.count <= Limits.kindBytesMax else {
            throw refusal(.kindTooLong, "the kind has \(kind.utf8.count) bytes, at most \(Limits.kindBytesMax) are allowed")
        }
        if var running = state.flow(of: kind) {
            guard parent != 0, parent != running.parent, !withDescendants(of: running.id, in: state).contains(parent),
                running.parent == 0 || withDescendants(of: running.parent, in: state).contains(parent)
            else { return [] }
            running.parent = parent
            return [.started(running)]
        }
        guard state.items.count < Limits.itemsMax else {
            throw refusal(.tooManyFlows, "\(state.items.count) flows are open, at most \(Limits.itemsMax) are allowed")
        }
        guard ElementID.range.contains(state.nextID) else {
            throw refusal(.idsExhausted, "there are no ids left for another flow")
        }
        return [.started(Flow(id: state.nextID, kind: kind, parent: parent, options: options, input: input, deadline: deadline))]
    }

    /// Returns the open flow with this ID, or refuses.
    @discardableResult public static func requireOpen(_ id: UInt64, in state: State) throws(Refusal) -> Flow {
        guard let flow = state.items[id] else { throw refusal(.unknownFlow, "there is no open flow \(id)") }
        return flow
    }

    /// Returns the open flow with this ID if it accepts the answer now, or refuses.
    @discardableResult
    public static func requireAnswerable(_ id: UInt64, _ text: String, in state: State) throws(Refusal) -> Flow {
        let flow = try requireOpen(id, in: state)
        if let child = state.child(of: id) {
            throw refusal(.flowWaits, "flow \(id) waits for flow \(child.id); answer or cancel that one first")
        }
        guard text.utf8.count <= Limits.answerBytesMax else {
            throw refusal(.answerTooLong, "the answer has \(text.utf8.count) bytes, at most \(Limits.answerBytesMax) are allowed")
        }
        guard flow.options.isEmpty || flow.options.contains(where: { $0.hasSameBytes(as: text) }) else {
            throw refusal(.unknownAnswer, "flow \(id) takes one of these answers: \(flow.options.joined(separator: ", "))")
        }
        return flow
    }

    /// Returns a flow and its descendants, the innermost first.
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
