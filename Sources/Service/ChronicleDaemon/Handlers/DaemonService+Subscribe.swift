import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func subscribe(_ input: SubscribeMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        let scope = try scopes.index(of: input.scope)
        if let epoch = input.epoch, epoch != store.present.epoch { throw .epochChanged(epoch: store.present.epoch) }
        let kind = input.kind?.asName ?? "state"
        let (isOfRecords, isOfView) = (kind == "records", kind == "view")
        try APIError.refuse([
            ("feature", input.feature != nil, isOfView), ("actions", input.actions != nil, isOfRecords),
            ("origin", input.origin != nil, isOfRecords), ("where", input.where != nil, isOfRecords),
            ("scope", input.scope != nil, !isOfView), ("from", input.from != nil, !isOfView),
            ("speed", input.speed != nil, !isOfRecords && !isOfView), ("gapMax", input.gapMax != nil, !isOfRecords && !isOfView),
        ])
        switch kind {
        case "state":
            let pace = try Pace(input)
            subscribeToState(from: try input.from?.moment("from"), scope, at: pace, reply)
        case "records":
            _ = try input.from?.moment("from")
            if let query = try query(input) {
                subscribeToRecords(matching: query, from: input.from, scope, reply)
            } else {
                subscribeToRecords(from: input.from, scope, reply)
            }
        case "view": try subscribeToView(input, reply)
        default: throw .invalidParameter("kind")
        }
    }

    private func subscribeToState(from moment: TimeTravel.Point?, _ scope: Int?, at pace: Pace?, _ reply: ReplyHandle) {
        let audience = audiences[scope.map { $0 + 1 } ?? 0]
        answerSubscriber(reply) { [self] stream in
            try await watch(.state(scope: scope), in: audience, on: stream, of: reply.peer.uid, from: moment, at: pace)
        }
    }

    private func subscribeToView(_ input: SubscribeMethod.Input, _ reply: ReplyHandle) throws(APIError) {
        guard let name = input.feature?.asName else { throw .invalidParameter("feature") }
        // The view of an app without features depends on its whole state.
        let scope = scopes.features.contains(name) ? try scopes.index(of: name) : nil
        answerSubscriber(reply) { [self, store] stream in
            let isShown = try await store.queries.perform { _ throws(StoreError) in
                App.viewParts(of: store.present.state, child: name) != nil
            }
            guard isShown else { throw APIError.unknownFeature(name, known: scopes.features) }
            try await watch(.view(name, scope: scope), in: viewAudience(of: name), on: stream, of: reply.peer.uid)
        }
    }

    private func watch(
        _ watched: Watched, in audience: Audience<App>, on stream: ReplyStream, of uid: UInt32,
        from moment: TimeTravel.Point? = nil,
        at pace: Pace? = nil
    ) async throws {
        var begin = moment
        try await store.watch(watched, in: audience) {
            Subscriber(audience, on: stream)
        } whole: {
            guard let moment = begin.take() else {
                return try await sharedPages.deliver(watched, to: stream, of: uid, audience.output)
            }
            return try await history.play(from: moment, scope: watched.scope, at: pace) { [store] in
                store.present
            } deliver: { item in
                try await stream.deliver(audience.output(item))
            }
        } deliver: { item in
            try await stream.send(audience.output(item))
        }
    }

    private func subscribeToRecords(from point: TodoAPI.Point?, _ scope: Int?, _ reply: ReplyHandle) {
        answerSubscriber(reply) { [self, store] stream in
            let first = try await self.first(of: point)
            try await store.watchRecords(from: first, scope: scope) { base, present in
                try await stream.send(SubscribeMethod.Output(at: base.sequence, base.time, of: present, skipped: base.sequence))
            } ready: {
                try await stream.ready()
            } make: { records, present in
                Self.frames(of: records, present)
            } deliver: { frames in
                for frame in frames { try await stream.send(frame) }
            }
        }
    }

    private func subscribeToRecords(
        matching query: LogQuery, from point: TodoAPI.Point?, _ scope: Int?, _ reply: ReplyHandle
    ) {
        answerSubscriber(reply) { [self, store, history] stream in
            let (first, present) = (try await self.first(of: point), store.present)
            func report(_ present: CommittedState<App.State>) async throws {
                try await stream.send(SubscribeMethod.Output(at: present.sequence, present.time, of: present))
            }
            if first ?? .max > present.sequence { try await report(present) }
            var cursor: FilterCursor<App>?
            try await store.followRecords(from: first ?? present.sequence + 1) { base, present in
                try await stream.send(SubscribeMethod.Output(at: base.sequence, base.time, of: present, skipped: base.sequence))
            } ready: {
                try await stream.ready()
            } read: { next, present in
                var place = cursor ?? FilterCursor(query, after: next - 1)
                let records = try await history.records(of: &place, through: present.sequence).filter { $0.belongs(to: scope) }
                for frame in Self.frames(of: records, present) { try await stream.send(frame) }
                if place.reached == present.sequence, records.last?.header.sequence != place.reached { try await report(present) }
                cursor = place
                return place.reached
            }
        }
    }

    /// The filter of a subscriber to records; `nil`: none but its scope.
    private func query(_ input: SubscribeMethod.Input) throws(APIError) -> LogQuery? {
        guard input.actions != nil || input.origin != nil || input.where != nil else { return nil }
        let actions = input.actions ?? []
        guard actions.count <= SubscribeMethod.actionsMax else { throw .invalidParameter("actions") }
        let feature = scopes.areOfFeatures ? input.scope.map { String($0.prefix { $0 != "." }) } : nil
        let query = LogQuery(
            feature: feature, actions: actions.map(\.asName), origin: input.origin,
            condition: try input.where.map { text throws(APIError) in try Expression(sent: text, of: App.shape, on: .change) })
        try checkNames(in: query)
        return query
    }

    private static func frames(of records: [LoggedRecord<App>], _ present: CommittedState<App.State>) -> [ReplyFrame] {
        var rest = records.map { RecordMessage($0) }[...]
        var frames: [ReplyFrame] = []
        while !rest.isEmpty {
            let page = rest.takePage(bytes: \.approximateBytes)
            guard let last = page.last else { break }
            frames.append(ReplyFrame(SubscribeMethod.Output(at: last.sequence, last.time, of: present, page)))
        }
        return frames
    }
}

extension SubscribeMethod.Output {
    /// An item of a subscription to records.
    fileprivate init(
        at sequence: UInt64, _ time: Int64, of present: CommittedState<some Sendable>, _ records: [RecordMessage] = [],
        skipped: UInt64 = 0
    ) {
        self.init(
            epoch: present.epoch, sequence: sequence, time: time, complete: true, records: records,
            commands: records.flatMap(\.commands), skipped: skipped)
    }

    init(_ item: StateItem<some DaemonApp>) {
        let records = item.records.map { RecordMessage($0) }
        self.init(
            epoch: item.epoch, sequence: item.sequence, time: item.time, complete: true, records: records,
            commands: records.flatMap(\.commands), skipped: item.skipped, past: item.isPast ? true : nil)
        switch item.content {
        case .page(let state, let isLast):
            self.state = state
            complete = isLast
        case .changes(let changes):
            self.changes = changes
        }
    }

    init(ofView item: StateItem<some DaemonApp>) {
        self.init(item)
        (view, state) = (state, nil)
    }
}

extension Pace {
    fileprivate init?(_ input: SubscribeMethod.Input) throws(APIError) {
        guard let speed = input.speed else {
            guard input.gapMax == nil else { throw .invalidParameter("gapMax") }
            return nil
        }
        guard speed >= 1, input.from != nil else { throw .invalidParameter("speed") }
        self.init(speed: speed, gapMax: input.gapMax)
    }
}

/// The subscribers of one scope or view; they share each encoded reply.
///
/// A closure that is specialized for the app creates the reply, because the store knows only the protocol.
struct Audience<App: DaemonApp>: StateSubscribers {
    typealias Output = @Sendable (StateItem<App>) -> SubscribeMethod.Output

    let group = ReplyGroup<CommittedState<App.State>>()
    let output: Output

    var isEmpty: Bool { group.isEmpty }

    func tell(_ item: StateItem<App>, leavingAt position: CommittedState<App.State>, done: @escaping @Sendable () -> Void) {
        group.send(leavingAt: position, done: done) { [output] in output(item).write(into: &$0) }
    }

    func dismiss(at position: CommittedState<App.State>?) { group.dismiss(at: position) }
}

struct Subscriber<App: DaemonApp>: StateSubscriber {
    let membership: GroupMembership<CommittedState<App.State>>
    let stream: ReplyStream
    let output: Audience<App>.Output

    init(_ audience: Audience<App>, on stream: ReplyStream) {
        membership = stream.membership(in: audience.group)
        self.stream = stream
        output = audience.output
    }

    func begin(at position: CommittedState<App.State>, first item: StateItem<App>?) {
        guard let item else { return membership.begin(at: position) }
        let output = output(item)
        membership.begin(at: position) { output.write(into: &$0) }
    }

    var hasLeft: Bool { membership.hasLeft }

    func end(at position: CommittedState<App.State>?) { membership.end(at: position) }

    /// Also waits until the subscriber is ready: nothing is encoded for one that does not read.
    func left() async throws -> CommittedState<App.State> {
        let position = try await membership.left()
        try await stream.ready()
        return position
    }
}
