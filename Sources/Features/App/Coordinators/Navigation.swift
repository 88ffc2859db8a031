import FlowsFeature
import PersistentCollections
import Reducing

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
        case .start(let kind): try navigation.start(kind: kind)
        case .answer(let id, let text): try navigation.answer(try Flows.requireAnswerable(id, text, in: state.flows), text)
        case .cancel(let id): try navigation.cancel(try Flows.requireOpen(id, in: state.flows))
        case .started, .ended, .offered, .restore:
            navigation.log(try Flows.prepare(order, state.flows, context).map(App.Action.flows))
        }
        return navigation.logged
    }

    private init(state: App.State, context: Context) {
        self.state = state
        self.context = context
    }

    // Not of every open flow there has to be one: the log may be that of a release with other kinds.
    private static func coordinator(of kind: String) -> (any Coordinator.Type)? {
        coordinators.first { $0.kind.hasSameBytes(as: kind) }
    }

    private mutating func start(kind: String) throws(Refusal) {
        guard let coordinator = Self.coordinator(of: kind) else {
            let kinds = Self.coordinators.map { $0.kind }.joined(separator: ", ")
            throw Refusal("UnknownKind", "there is no flow of that kind; known are \(kinds)")
        }
        try start(coordinator)
    }

    private mutating func start<Started: Coordinator>(_ coordinator: Started.Type, parent: UInt64 = 0) throws(Refusal) {
        switch Started.start(in: state) {
        case .asks(let options, let actions):
            let opened = try Flows.coordinate(to: Started.kind, parent: parent, options: options, in: state.flows)
            log(opened.map(App.Action.flows))
            if !opened.isEmpty { try expand(actions) }
        case .shows(let actions): try expand(actions)
        case .picks(let other): try start(other, parent: parent)
        }
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
        case .waits: try start(Going.Child.self, parent: flow.id)
        case .stays: break
        }
    }

    private mutating func cancel(_ flow: Flow) throws(Refusal) {
        log(try Flows.prepare(.cancel(flow.id), state.flows, context).map(App.Action.flows))
        if let coordinator = Self.coordinator(of: flow.kind) { try expand(Self.actionsAfterCancelling(coordinator)) }
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
        guard Told.Child.kind.hasSameBytes(as: kind), let result = Told.Child.Result(text: text) else { return }
        try go(on: Told.next(after: result, in: state), from: flow)
    }

    private mutating func expand(_ actions: [App.Action]) throws(Refusal) {
        for action in actions { log(try App.prepare(action, state, context)) }
    }

    private mutating func log(_ actions: [App.Action]) {
        for action in actions { _ = App.reduce(&state, action, context) }
        logged += actions
    }
}
