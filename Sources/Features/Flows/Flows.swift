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

    /// Applies a logged action; an action on a flow that is not open changes nothing but `nextID`.
    ///
    /// Only deadlines return commands.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .started(let flow):
            guard ElementID.range.contains(flow.id) else { return [] }
            state.raiseNextID(above: flow.id)
            let deadline = state.items[flow.id]?.deadline
            if !state.items.append(flow, id: flow.id) { state.items.update(flow.id) { $0 = flow } }
            return deadline == flow.deadline ? [] : flow.timer(from: context.time)
        case .ended(let id, _):
            state.raiseNextID(above: id)
            let timerEnd = state.items[id]?.timerEnd ?? []
            state.items.remove(id)
            return timerEnd
        case .timedOut(let id):
            state.raiseNextID(above: id)
            state.items.remove(id)
            state.timedOut = id
        case .offered(let id, let options):
            state.raiseNextID(above: id)
            state.items.update(id) { $0.options = options }
        case .restore(let patch):
            let timerEnds = patch.removed.flatMap { state.items[$0]?.timerEnd ?? [] }
            let missing = patch.placed.map(\.element).filter { state.items[$0.id] == nil }
            state.restore(patch)
            return timerEnds + missing.flatMap { state.items[$0.id]?.timer(from: context.time) ?? [] }
        case .start, .answer, .cancel:
            // Never logged, because `prepare` replaces them.
            break
        }
        return []
    }

    public static func existing(for action: Action, in state: State) -> [UInt64] {
        if case .start(let kind, _) = action { state.flow(of: kind).map { [$0.id] } ?? [] } else { [] }
    }

    public static func viewParts(of state: State) -> ViewParts {
        // Not a `ViewList`, because whether a flow waits depends on other rows.
        var rows: [Value] = []
        state.items.forEach { id, flow in
            var row = [
                Value.Field("id", .int(Int64(clamping: id))), Value.Field("kind", .text(flow.kind)),
                Value.Field("parent", .int(Int64(clamping: flow.parent))), Value.Field("options", flow.options.value),
                Value.Field("waits", .bool(state.child(of: id) != nil)),
            ]
            if flow.deadline != 0 { row.append(Value.Field("deadline", .int(flow.deadline))) }
            rows.append(.record(row))
            return true
        }
        return ViewParts(["rows": .list(rows)])
    }

    /// Reopens an ended flow and removes a started one; another open flow of the same kind is a conflict.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = present.reverted(from: after, to: before)
        for flow in reverted.state.items.elements where !present.items.contains(flow.id) {
            guard let other = present.flow(of: flow.kind), reverted.state.items.contains(other.id) else { continue }
            // There is at most one per kind, even if the undo is forced.
            reverted.state.items.remove(flow.id)
            reverted.conflicts.append(Conflict("items[\(flow.id)]", expected: nil, found: other.value))
        }
        return reverted
    }

    /// Renumbers the flows of a fork and the references to them; a timeout of a missing flow is dropped.
    public static func renumbered(_ state: State, since origin: State, along stretches: [ForkStretch<State>]) -> State {
        let moved = MovedIDs(of: \.items, behind: \.nextID, since: origin, along: stretches)
        var carried = state.renumbered(since: origin, along: stretches)
        for flow in carried.items.elements {
            let parent = moved[flow.parent] ?? 0
            if parent != flow.parent { carried.items.update(flow.id) { $0.parent = parent } }
        }
        carried.timedOut = moved[state.timedOut] ?? origin.timedOut
        return carried
    }

    /// End events if flows were only removed, otherwise a patch; preceded by the last timeout if it differs.
    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
        var items = present.items
        let isOther = present.timedOut != wanted.timedOut
        if isOther { items.remove(wanted.timedOut) }
        let patch = TablePatch(from: items, to: wanted.items)
        let rest: [Action] = patch.placed.isEmpty ? patch.removed.map { .ended($0, result: nil) } : [.restore(patch)]
        return (isOther ? [.timedOut(wanted.timedOut)] : []) + rest
    }

    enum Limits {
        static let itemsMax = 100
        static let kindBytesMax = 100
        static let answerBytesMax = 4_096
        static let secondsMax: Int64 = 366 * 86_400
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

    @discardableResult public static func requireOpen(_ id: UInt64, in state: State) throws(Refusal) -> Flow {
        guard let flow = state.items[id] else { throw refusal(.unknownFlow, "there is no open flow \(id)") }
        return flow
    }

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

extension Flows.Command {
    /// A timer that is cancelled with its flow.
    public var policy: CommandPolicy {
        switch self {
        case .timeOut(let id, let microseconds): CommandPolicy(delay: .microseconds(microseconds), cancelID: "\(id)")
        case .keep(let id): CommandPolicy(cancelID: "\(id)", isCancellation: true)
        }
    }
}

extension Flow {
    func timer(from now: Int64) -> [Flows.Command] {
        guard deadline != 0 else { return [] }
        let (rest, isPast) = deadline.subtractingReportingOverflow(now)
        return [.timeOut(id, after: isPast ? 0 : max(0, rest))]
    }

    var timerEnd: [Flows.Command] { deadline == 0 ? [] : [.keep(id)] }
}

extension Flows.State {
    /// Returns the open flow of a kind; there is at most one.
    public func flow(of kind: String) -> Flow? { first { $0.kind.hasSameBytes(as: kind) } }
    public func child(of id: UInt64) -> Flow? { id == 0 ? nil : first { $0.parent == id } }

    private func first(where isMeant: (Flow) -> Bool) -> Flow? {
        var found: Flow?
        items.forEach { _, flow in
            if isMeant(flow) { found = flow }
            return found == nil
        }
        return found
    }
}
