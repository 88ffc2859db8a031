import FeatureFlows
import Fields

/// Expands an order about a flow to everything that it leads to, each action decided on the state that those before lead to.
struct Navigation {
    /// Every coordinator that a client can start.
    static let coordinators: [any Coordinator.Type] = [
        RootCoordinator.self, WelcomeCoordinator.self, RepositoriesCoordinator.self, LanguageCoordinator.self,
    ]

    private var state: App.State
    private let context: Context
    private var logged: [App.Action] = []

    /// What an order about flows is logged as.
    static func prepare(_ order: Flows.Action, _ state: App.State, _ context: Context) throws(Refusal) -> [App.Action] {
        var navigation = Navigation(state: state, context: context)
        switch order {
        case .start(let kind, let seconds):
            try navigation.start(kind: kind, deadline: try Flows.deadline(after: seconds, context))
        case .answer(let id, let text): try navigation.answer(try Flows.requireAnswerable(id, text, in: state.flows), text)
        case .cancel(let id): try navigation.end(try Flows.requireOpen(id, in: state.flows), by: order)
        case .timedOut(let id): if let flow = state.flows.items[id] { try navigation.end(flow, by: order) }
        case .started, .ended, .offered, .restore:
            navigation.log(try Flows.prepare(order, state.flows, context).map(App.Action.flows))
        }
        return navigation.logged
    }

    private init(state: App.State, context: Context) {
        self.state = state
        self.context = context
    }

    /// The commands that end what a flow has asked for, where it ends without a result.
    static func cancellations(by action: Flows.Action, in flows: Flows.State) -> [App.Command] {
        let ended: UInt64? =
            switch action {
            case .ended(let id, nil), .timedOut(let id): id
            default: nil
            }
        guard let flow = ended.flatMap({ flows.items[$0] }) else { return [] }
        return coordinator(of: flow.kind)?.cancellations ?? []
    }

    // Not of every open flow there has to be one: the log may be that of a release with other kinds.
    private static func coordinator(of kind: String) -> (any Coordinator.Type)? {
        coordinators.first { $0.kind.hasSameBytes(as: kind) }
    }

    private mutating func start(kind: String, deadline: Int64) throws(Refusal) {
        guard let coordinator = Self.coordinator(of: kind) else {
            let kinds = Self.coordinators.map { $0.kind }.joined(separator: ", ")
            throw Refusal("UnknownKind", "there is no flow of that kind; known are \(kinds)")
        }
        try start(coordinator, parent: holder(of: kind), deadline: deadline)
    }

    /// The root, while it stands and may hold flows of this kind.
    private func holder(of kind: String) -> UInt64 {
        guard RootCoordinator.children.contains(where: { $0.kind.hasSameBytes(as: kind) }) else { return 0 }
        return state.flows.flow(of: RootCoordinator.kind)?.id ?? 0
    }

    private mutating func start<Started: Coordinator>(
        _ coordinator: Started.Type, input: String = "", parent: UInt64, deadline: Int64 = 0
    ) throws(Refusal) {
        switch Started.start(with: Started.Input(text: input), in: state) {
        case .asks(let options, let actions):
            let opened = try Flows.coordinate(
                to: Started.kind, parent: parent, input: input, options: options, deadline: deadline, in: state.flows)
            log(opened.map(App.Action.flows))
            if !opened.isEmpty { try expand(actions) }
        case .shows(let actions): try expand(actions)
        case .holds(let calls): try hold(calls, as: Started.kind, parent: parent, deadline: deadline)
        }
    }

    private mutating func hold(
        _ calls: [FlowCall], as kind: String, parent: UInt64, deadline: Int64
    ) throws(Refusal) {
        guard state.flows.flow(of: kind) == nil else { return }
        var holding = self
        let id = holding.state.flows.nextID
        holding.log(try Flows.coordinate(to: kind, parent: parent, deadline: deadline, in: state.flows).map(App.Action.flows))
        for call in calls { try holding.start(call.coordinator, input: call.input, parent: id) }
        guard holding.state.flows.child(of: id) == nil else {
            self = holding
            return
        }
        // What only shows something is no flow to hold.
        for call in calls { try start(call.coordinator, input: call.input, parent: parent) }
    }

    private mutating func answer(_ flow: Flow, _ text: String) throws(Refusal) {
        guard let coordinator = Self.coordinator(of: flow.kind) else {
            return log([.flows(.ended(flow.id, result: text))])
        }
        try answer(coordinator, flow, text)
    }

    private mutating func answer<Answered: Coordinator>(
        _ coordinator: Answered.Type, _ flow: Flow, _ text: String
    ) throws(Refusal) {
        try go(on: try Answered.next(after: text, in: state), from: flow)
    }

    private mutating func go<Going: Coordinator>(on step: FlowStep<Going>, from flow: Flow) throws(Refusal) {
        switch step {
        case .ends(let result):
            log([.flows(.ended(flow.id, result: result.text))])
            try expand(Going.actions(after: result))
            try tellParent(of: flow, result.text)
        case .starts(let call): try start(call.coordinator, input: call.input, parent: flow.id)
        case .stays: break
        }
    }

    /// Ends a flow without an answer, and those below it.
    private mutating func end(_ flow: Flow, by order: Flows.Action) throws(Refusal) {
        let before = state.flows
        let ended = try Flows.prepare(order, before, context)
        log(ended.map(App.Action.flows))
        let ids = ended.compactMap { action -> UInt64? in
            switch action {
            case .ended(let id, _), .timedOut(let id): id
            default: nil
            }
        }
        for id in ids {
            guard let kind = before.items[id]?.kind, let coordinator = Self.coordinator(of: kind) else { continue }
            try expand(Self.actionsAfterCancelling(coordinator))
        }
        try tellParent(of: flow, nil)
    }

    private static func actionsAfterCancelling<Cancelled: Coordinator>(_ coordinator: Cancelled.Type) -> [App.Action] {
        Cancelled.Result(text: nil).map(Cancelled.actions) ?? []
    }

    private mutating func tellParent(of flow: Flow, _ text: String?) throws(Refusal) {
        guard let parent = state.flows.items[flow.parent], let coordinator = Self.coordinator(of: parent.kind) else { return }
        try tell(coordinator, parent, of: flow.kind, text)
    }

    private mutating func tell<Told: Coordinator>(
        _ coordinator: Told.Type, _ flow: Flow, of kind: String, _ text: String?
    ) throws(Refusal) {
        guard let child = Told.children.first(where: { $0.kind.hasSameBytes(as: kind) }), let step = child.next(text, state)
        else {
            return
        }
        try go(on: step, from: flow)
        // What holds others has no question of its own, and is over with the last of them.
        guard case .holds = Told.start(with: Told.Input(text: flow.input), in: state), state.flows.items[flow.id] != nil,
            state.flows.child(of: flow.id) == nil
        else { return }
        log([.flows(.ended(flow.id, result: nil))])
        try tellParent(of: flow, nil)
    }

    private mutating func expand(_ actions: [App.Action]) throws(Refusal) {
        for action in actions { log(try App.prepare(action, state, context)) }
    }

    private mutating func log(_ actions: [App.Action]) {
        for action in actions { _ = App.reduce(&state, action, context) }
        logged += actions
    }
}
