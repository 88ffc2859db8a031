public import Chronicle
import ChronicleLog
import Synchronization

/// Delivers the same item, computed once, to all up-to-date subscribers of a scope or view.
///
/// Members have no tasks: the group has one position, which a slow subscriber leaves and rejoins. All of it runs on the query thread.
final class SubscriberGroup<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    typealias Moment = CommittedState<App.State>

    private struct Group: Sendable {
        var position: Moment
        var audience: any StateSubscribers<App>
        var arrivals: [Arrival] = []
        let isBusy = AtomicFlag()
    }

    private struct Arrival: Sendable {
        var position: Moment
        var member: any StateSubscriber<App>
    }

    private let publisher: StatePublisher<App.State>
    private let log: any ActionLog
    private let groups = Mutex<[Watched: Group]>([:])

    init(of publisher: StatePublisher<App.State>, log: any ActionLog) {
        self.publisher = publisher
        self.log = log
    }

    func add(
        _ member: some StateSubscriber<App>, at position: Moment, to audience: some StateSubscribers<App>, of watched: Watched
    ) {
        groups.withLock { groups in
            var group = groups[watched] ?? Group(position: position, audience: audience)
            group.arrivals.append(Arrival(position: position, member: member))
            // Set before reading the present, so that a later publish triggers a notification.
            publisher.hasAudience.store(true, ordering: .sequentiallyConsistent)
            advance(&group, watched)
            groups[watched] = group
        }
    }

    func advance() {
        groups.withLock { groups in
            for watched in groups.keys {
                guard var group = groups.removeValue(forKey: watched) else { continue }
                advance(&group, watched)
                if group.isBusy.isSet.load(ordering: .acquiring) || !group.audience.isEmpty { groups[watched] = group }
            }
            publisher.hasAudience.store(!groups.isEmpty, ordering: .sequentiallyConsistent)
        }
    }

    private func advance(_ group: inout Group, _ watched: Watched) {
        guard !publisher.hasEnded else {
            for arrival in group.arrivals { arrival.member.end(at: nil) }
            group.arrivals = []
            return group.audience.dismiss(at: nil)
        }
        guard !group.isBusy.isSet.load(ordering: .acquiring) else { return }
        let now = publisher.present
        tell(&group, now, watched)
        var last: (position: Moment, step: StateStep<App>)?
        group.arrivals.removeAll { arrival in
            // A subscriber that left while waiting would keep its connection and state until the next change.
            if arrival.member.hasLeft { return true }
            guard now.isNews(to: arrival.position, in: watched.scope) else {
                // An item counts skipped records from the position, so a subscriber at another position waits for the next one.
                guard arrival.position.isSame(as: group.position) else { return false }
                arrival.member.begin(at: arrival.position, first: nil)
                return true
            }
            // Subscribers that arrive together are mostly at the same position.
            let isSame = last?.position.isSame(as: arrival.position) ?? false
            let step = isSame ? last?.step ?? .tooMuch : step(from: arrival.position, to: now, watched)
            last = (arrival.position, step)
            switch step {
            case .none: arrival.member.begin(at: arrival.position, first: nil)
            case .item(let item): arrival.member.begin(at: arrival.position, first: item)
            case .tooMuch: arrival.member.end(at: arrival.position)
            }
            return true
        }
    }

    private func tell(_ group: inout Group, _ now: Moment, _ watched: Watched) {
        let before = group.position
        guard now.isNews(to: before, in: watched.scope) else { return }
        group.position = now
        switch step(from: before, to: now, watched) {
        case .none: break
        case .item(let item):
            let flag = group.isBusy
            flag.isSet.store(true, ordering: .releasing)
            group.audience.tell(item, leavingAt: before) { [weak publisher] in
                flag.isSet.store(false, ordering: .releasing)
                publisher?.wakeSoon()
            }
        case .tooMuch: group.audience.dismiss(at: before)
        }
    }

    // On damage the subscriber continues alone and gets the error there.
    private func step(from before: Moment, to now: Moment, _ watched: Watched) -> StateStep<App> {
        (try? StateStep.between(before, and: now, of: watched, in: log)) ?? .tooMuch
    }
}

/// Delivers the same items to many subscribers of one scope.
public protocol StateSubscribers<App>: Sendable {
    associatedtype App: Feature

    var isEmpty: Bool { get }

    /// Delivers an item to all members; a member whose buffer is full leaves at the position. Called on the query thread: must not block.
    /// - Parameter done: called when all members have the item or have left; the next delivery waits for it.
    func tell(_ item: StateItem<App>, leavingAt position: CommittedState<App.State>, done: @escaping @Sendable () -> Void)

    /// Removes all members at a position, or for good (`nil`).
    func dismiss(at position: CommittedState<App.State>?)
}

public protocol StateSubscriber<App>: Sendable {
    associatedtype App: Feature

    /// Joins the audience after an item for this subscriber alone.
    ///
    /// Called on the query thread: must not block. The subscriber leaves at the position if its buffer has no room for the item.
    func begin(at position: CommittedState<App.State>, first item: StateItem<App>?)

    /// Whether the subscriber has left: deliveries no longer wait for it.
    var hasLeft: Bool { get }

    /// Leaves before joining.
    func end(at position: CommittedState<App.State>?)

    /// Waits until the subscriber has left, and returns its position.
    /// - Throws: when nothing more follows, or the subscriber has gone.
    func left() async throws -> CommittedState<App.State>
}

enum StateStep<App: Feature>: Sendable {
    case none
    case item(StateItem<App>)
    /// Too much for one item: the whole value is delivered again.
    case tooMuch
}

extension StateStep where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    /// Compares two states, and reads the records between them; on the query thread; throws `.damaged`.
    static func between(
        _ before: CommittedState<App.State>, and now: CommittedState<App.State>, of watched: Watched, in log: any ActionLog
    ) throws(StoreError) -> StateStep {
        guard now.isNews(to: before, in: watched.scope) else { return .none }
        guard let changes = StateItem<App>.changes(from: before.state, to: now.state, of: watched) else { return .tooMuch }
        if changes.isEmpty { return .none }
        // Redacted texts must not appear again as the old value of a change.
        if before.redactions != now.redactions { return .tooMuch }
        var item = StateItem<App>(epoch: now.epoch, sequence: now.sequence, time: now.time, content: .changes(changes))
        guard case .state(let scope) = watched else { return .item(item) }
        // Compacted records are missing from the item; the changes are delivered all the same.
        let since = max(before.sequence + 1, now.sequence - min(now.sequence, UInt64(Limits.itemRecordsMax)) + 1, log.first)
        // A redaction changes the state without a record.
        if since <= now.sequence {
            item.records = try LoggedRecord<App>.page(
                from: since, through: now.sequence, in: log, bytesMax: Limits.itemRecordsBytesMax
            ).filter { $0.belongs(to: scope) }
        }
        item.skipped = now.sequence - before.sequence - UInt64(item.records.count)
        return .item(item)
    }
}

public enum Watched: Hashable, Sendable {
    /// The state, or a scope of it: an index in `Feature.scopes`.
    case state(scope: Int?)
    /// A child's view, or without children a field of the root's view, and the scope that determines it.
    case view(String, scope: Int?)

    /// The only scope whose changes affect it; `nil`: any change may.
    public var scope: Int? {
        switch self {
        case .state(let scope), .view(_, let scope): scope
        }
    }
}
