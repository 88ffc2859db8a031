import ChronicleLog
import ChronicleStore
import Expressions
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func setSubscription(_ input: SetSubscriptionMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let filter = RecordFilter(
            feature: input.feature, actions: input.actions ?? [], origin: input.origin, condition: input.where)
        if let why = SubscriptionRow.objection(to: input.name, wanting: filter) {
            throw .badSubscription(message: why, name: input.name.asName)
        }
        try checkNames(in: filter)
        if let text = filter.condition { _ = try Expression(sent: text, of: App.shape, on: .change) }
        try input.from?.check("from")
        answer(reply) { [self, store] stream in
            let first = try await self.first(of: input.from)
            let answer = try await store.submit(
                .set(input.name, filter, position: first.map { $0 - 1 }), by: peer.uid, administers: administers(peer))
            followers.dismiss(input.name, because: "\(input.name) was changed by uid \(peer.uid).")
            stream.end(SetSubscriptionMethod.Output(epoch: answer.epoch, position: store.subscription(input.name)?.position ?? 0))
        }
    }

    func removeSubscription(_ input: RemoveSubscriptionMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [self, store] stream in
            let answer = try await store.submit(.remove(input.name), by: peer.uid, administers: administers(peer))
            followers.dismiss(input.name, because: "\(input.name) was removed by uid \(peer.uid).")
            stream.end(RemoveSubscriptionMethod.Output(epoch: answer.epoch))
        }
    }

    func subscriptions(_ input: SubscriptionsMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        let more = reply.more
        answer(reply) { [self, store] stream in
            let all = try await store.queries.perform { _ throws(StoreError) in self.standingSubscriptions(toldTo: peer) }
            try await stream.end(list: all, inPages: more, bytes: \.byteCount) { SubscriptionsMethod.Output(subscriptions: $0) }
        }
    }

    func acknowledge(_ input: AcknowledgeMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [self, store] stream in
            let answer = try await store.submit(
                .acknowledge(input.name, through: input.sequence, epoch: input.epoch), by: peer.uid,
                administers: administers(peer))
            let position = store.subscription(input.name)?.position ?? input.sequence
            stream.end(AcknowledgeMethod.Output(epoch: answer.epoch, position: position))
        }
    }

    /// All subscriptions with their lag; it reads a record for each, so it runs on the query thread.
    /// - Parameter peer: sees the followers of its own subscriptions, or of all as an administrator; `nil` sees none.
    func standingSubscriptions(toldTo peer: Peer? = nil) -> [SubscriptionMessage] {
        let head = store.present.sequence
        let base = files.log.base?.sequence ?? 0
        let standing = store.subscriptions.map { row in
            let (position, filter, unknown) = (row.position, row.filter, unknownNames(in: row.filter))
            // The time of an unreadable record is unknown.
            let next = position >= base && position < head ? position + 1 : nil
            let since = next.flatMap { try? LoggedRecord<App>.page(from: $0, through: $0, in: files.log).first?.header.time }
            return SubscriptionMessage(
                name: row.name, uid: row.owner, position: position, lag: head - min(head, position), since: since,
                gone: position < base ? base - position : nil, feature: filter.feature,
                actions: filter.actions.isEmpty ? nil : filter.actions, origin: filter.origin, where: filter.condition,
                pid: mayKnow(row, peer) ? followers.pid(of: row.name).map { Int64($0) } : nil,
                unknown: unknown.isEmpty ? nil : unknown)
        }
        let damaged = store.damagedSubscriptions.map { SubscriptionMessage(damaged: $0) }
        return damaged.isEmpty ? standing : (standing + damaged).sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Refuses a filter with an unknown feature or action, which would never match.
    func checkNames(in filter: RecordFilter) throws(APIError) {
        if let feature = filter.feature?.asName, !scopes.features.contains(feature) {
            throw .unknownFeature(feature, known: scopes.features)
        }
        if let action = unknownNames(in: filter).first {
            throw .unknownAction(action.asName, of: filter.feature, known: actionNames)
        }
    }

    /// Unknown names in a filter, for example of another release.
    private func unknownNames(in filter: RecordFilter) -> [String] {
        guard scopes.areOfFeatures else { return [] }
        if let feature = filter.feature, !scopes.features.contains(feature) { return [feature] }
        return filter.unknownActions(among: actionNames)
    }

    private func mayKnow(_ row: SubscriptionRow, _ peer: Peer?) -> Bool {
        peer.map { $0.uid == row.owner || administers($0) } ?? false
    }

    /// A subscription that a peer wants to follow.
    func subscription(_ name: String, for peer: Peer) throws(StoreError) -> SubscriptionRow {
        guard let row = store.subscription(name) else {
            let isDamaged = store.damagedSubscriptions.contains { $0.hasSameBytes(as: name) }
            throw isDamaged ? .damagedSubscription(name) : .unknownSubscription(name)
        }
        guard row.owner == peer.uid || administers(peer) else { throw .notYourSubscription(name, uid: row.owner) }
        return row
    }
}

extension SubscriptionMessage {
    /// A damaged subscription; only its name is known.
    init(damaged name: String) { self.init(name: name, uid: .max, position: 0, lag: 0, damaged: true) }
}

extension SubscriptionLagMessage {
    init(_ subscription: SubscriptionMessage) {
        self.init(
            name: subscription.name, lag: subscription.lag, since: subscription.since, gone: subscription.gone,
            pid: subscription.pid, damaged: subscription.damaged)
    }
}
