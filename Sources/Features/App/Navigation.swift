import Chronicle
import FeatureFlows

/// Expands a command on a flow into all resulting actions, each decided on the state after the previous ones.
struct Navigation {
    static let coordinators: [any Coordinator.Type] = [
        RootCoordinator.self, WelcomeCoordinator.self, RepositoriesCoordinator.self, LanguageCoordinator.self,
    ]

    private var state: App.State
    private let context: Context
    private var logged: [App.Action] = []

    static func prepare(_ command: Flows.Action, _ state: App.State, _ context: Context) throws(Refusal) -> [App.Action] {
        var navigation = Navigation(state: state, context: context)
        switch command {
        case .start(let kind, let seconds):
            try navigation.start(kind: kind, deadline: try Flows.deadline(after: seconds, context))
        case .answer(let id, let text): try navigation.answer(try Flows.requireAnswerable(id, text, in: state.flows), text)
        case .cancel(let id): try navigation.end(try Flows.requireOpen(id, in: state.flows), by: command)
        case .timedOut(let id): if let flow = state.flows.items[id] { try navigation.end(flow, by: command) }
        case .started, .ended, .offered, .restore:
            navigation.log(try Flows.prepare(command, state.flows, context).map(App.Action.flows))
        }
        return navigation.logged
    }

    private init(state: App.State, context: Context) { (self.state, self.context) = (state, context) }

    /// Returns the commands that cancel the requests of a flow that ended without a result.
    static func cancellations(by action: Flows.Action, in flows: Flows.State) -> [App.Command] {
        if case .ended(_, _?) = action { return [] }
        return action.endedFlow.flatMap { flows.items[$0] }.flatMap { coordinator(of: $0.kind)?.cancellations } ?? []
    }

    // May be nil for an open flow, because the log may come from a release with other kinds.
    private static func coordinator(of kind: String) -> (any Coordinator.Type)? {
        coordinators.first { $0.kind.hasSameBytes(as: kind) }
    }

    private mutating func start(kind: String, deadline: Int64) throws(Refusal) {
        guard let coordinator = Self.coordinator(of: kind) else {
            let kinds = Self.coordinators.map { $0.kind }.joined(separator: ", ")
            throw Flows.refusal(.unknownKind, "there is no flow of that kind; known are \(kinds)")
        }
        try start(coordinator, parent: holder(of: kind), deadline: deadline)
    }

    /// Returns the root flow if it is open and can hold this kind; otherwise 0.
    private func holder(of kind: String) -> UInt64 {
        RootCoordinator.children[kind] == nil ? 0 : state.flows.flow(of: RootCoordinator.kind)?.id ?? 0
    }

    private mutating func start(
        _ coordinator: any Coordinator.Type, input: String = "", parent: UInt64, deadline: Int64 = 0
    ) throws(Refusal) {
        switch coordinator.start(with: input, in: state) {
        case .asks(let options, let actions):
            let opened = try Flows.coordinate(
                to: coordinator.kind, parent: parent, input: input, options: options, deadline: deadline, in: state.flows)
            log(opened.map(App.Action.flows))
            if !opened.isEmpty { try expand(actions) }
        case .shows(let actions): try expand(actions)
        case .holds(let child):
            guard state.flows.flow(of: coordinator.kind) == nil else { return }
            var holding = self
            let id = holding.state.flows.nextID
            let opened = try Flows.coordinate(to: coordinator.kind, parent: parent, deadline: deadline, in: state.flows)
            holding.log(opened.map(App.Action.flows))
            try holding.start(child, parent: id)
            // A flow that only shows something is not held.
            if holding.state.flows.child(of: id) != nil { self = holding } else { try start(child, parent: parent) }
        }
    }

    private mutating func answer(_ flow: Flow, _ text: String) throws(Refusal) {
        guard let coordinator = Self.coordinator(of: flow.kind) else { return log([.flows(.ended(flow.id, result: text))]) }
        try proceed(with: try coordinator.next(after: text, in: state), from: flow, of: coordinator)
    }

    private mutating func proceed(with step: FlowStep, from flow: Flow, of coordinator: any Coordinator.Type) throws(Refusal) {
        switch step {
        case .ends(let result):
            log([.flows(.ended(flow.id, result: result))])
            try expand(coordinator.actions(after: result))
            try resumeParent(of: flow, result)
        case .starts(let child, let input): try start(child, input: input, parent: flow.id)
        case .stays: break
        }
    }

    /// Ends a flow and its descendants without an answer.
    private mutating func end(_ flow: Flow, by command: Flows.Action) throws(Refusal) {
        let before = state.flows
        let ended = try Flows.prepare(command, before, context)
        log(ended.map(App.Action.flows))
        for id in ended.compactMap(\.endedFlow) {
            try expand(before.items[id].flatMap { Self.coordinator(of: $0.kind)?.actions(after: nil) } ?? [])
        }
        try resumeParent(of: flow, nil)
    }

    private mutating func resumeParent(of flow: Flow, _ result: String?) throws(Refusal) {
        guard let parent = state.flows.items[flow.parent], let coordinator = Self.coordinator(of: parent.kind),
            let next = coordinator.children[flow.kind]
        else { return }
        try proceed(with: next(result), from: parent, of: coordinator)
        // A flow that only holds others ends together with the last one.
        guard case .holds = coordinator.start(with: parent.input, in: state), state.flows.items[parent.id] != nil,
            state.flows.child(of: parent.id) == nil
        else { return }
        log([.flows(.ended(parent.id, result: nil))])
        try resumeParent(of: parent, nil)
    }

    private mutating func expand(_ actions: [App.Action]) throws(Refusal) {
        for action in actions { log(try App.prepare(action, state, context)) }
    }

    private mutating func log(_ actions: [App.Action]) {
        for action in actions { _ = App.reduce(&state, action, context) }
        logged += actions
    }
}

extension Flows.Action {
    fileprivate var endedFlow: UInt64? {
        switch self {
        case .ended(let id, _), .timedOut(let id): id
        default: nil
        }
    }
}
