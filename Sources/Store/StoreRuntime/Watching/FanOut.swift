import Records
import Reducing
import Synchronization
import Values

/// Tells all subscribers of a scope, or of a view, who are up to date the same, compared once.
///
/// They have no task that is woken: for each of these one position is kept, which is that of all its members. Whoever falls
/// behind leaves, goes on at its own pace, and comes back. All of it runs on the query thread; what comes while the members
/// are still being told is merged.
final class FanOut<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    typealias Moment = CommittedState<App.State>

    /// The subscribers of one scope or view.
    private struct Group: Sendable {
        var position: Moment
        var audience: any StateAudience<App>
        var arrivals: [Arrival] = []
        /// Set while its members are told something.
        let isBusy = Flag()
    }

    private struct Arrival: Sendable {
        var position: Moment
        var member: any StateMember<App>
    }

    private let publisher: StatePublisher<App.State>
    private let log: any ActionLog
    private let groups = Mutex<[Watched: Group]>([:])

    init(of publisher: StatePublisher<App.State>, log: any ActionLog) {
        self.publisher = publisher
        self.log = log
    }

    /// Takes a subscriber in, who stands at a position.
    func add(
        _ member: some StateMember<App>, at position: Moment, to audience: some StateAudience<App>, of watched: Watched
    ) {
        groups.withLock { groups in
            var group = groups[watched] ?? Group(position: position, audience: audience)
            group.arrivals.append(Arrival(position: position, member: member))
            // Set before the present is looked at: what is published later rings.
            publisher.hasAudience.store(true, ordering: .sequentiallyConsistent)
            advance(&group, watched)
            groups[watched] = group
        }
    }

    /// Tells everybody what is new, and forgets groups that are empty.
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
            // Whoever left while it waited would keep its connection and its state until something changes.
            if arrival.member.hasLeft { return true }
            guard now.isNews(to: arrival.position, in: watched.scope) else {
                // What an item leaves out is counted from the position, so who stands elsewhere waits for the next one.
                guard arrival.position.isSame(as: group.position) else { return false }
                arrival.member.begin(at: arrival.position, first: nil)
                return true
            }
            // Who comes together mostly stands at the same place.
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

    // Who can't be told because of damage goes on alone, and meets it there.
    private func step(from before: Moment, to now: Moment, _ watched: Watched) -> StateStep<App> {
        (try? StateStep(from: before, to: now, of: watched, in: log)) ?? .tooMuch
    }
}
