public import Chronicle
public import ChronicleLog

extension Store {
    /// Delivers the current state or view, then its changes, for as long as the task lives.
    ///
    /// Up-to-date subscribers share deliveries, if there is room. A slow subscriber gets changes merged; one that lags by over
    /// `Limits.changesMax` changes gets the whole value again. Equal values are not delivered.
    /// - Parameters:
    ///   - audience: the audience of the watched value, always the same one.
    ///   - membership: makes a membership each time that the subscriber is up to date.
    ///   - whole: delivers a whole state and returns it.
    ///   - deliver: delivers an item to this subscriber alone, and returns when there is room for the next one.
    /// - Throws: `.stopping` if the store stops, and the errors of `deliver`.
    public nonisolated func watch<Audience: StateSubscribers<App>>(
        _ watched: Watched, in audience: Audience,
        membership: @Sendable () -> some StateSubscriber<App>, whole: () async throws -> CommittedState<App.State>,
        deliver: (StateItem<App>) async throws -> Void
    ) async throws {
        // Taken before the subscriber waits: it must not keep an old state for as long as it is up to date.
        var last: CommittedState<App.State>? = try await whole()
        while true {
            let member = membership()
            try await add(member, at: last.take(), to: audience, of: watched)
            last = try await deliverNews(since: try await member.left(), watched, deliver, whole: whole)
        }
    }

    private nonisolated func add(
        _ member: some StateSubscriber<App>, at position: CommittedState<App.State>?, to audience: some StateSubscribers<App>,
        of watched: Watched
    ) async throws {
        guard let position else { return }
        try await queries.perform { _ throws(StoreError) in self.fanOut.add(member, at: position, to: audience, of: watched) }
    }

    nonisolated func deliverNews(
        since last: CommittedState<App.State>, _ watched: Watched, _ deliver: (StateItem<App>) async throws -> Void,
        whole: () async throws -> CommittedState<App.State>
    ) async throws -> CommittedState<App.State> {
        // A subscriber leaves its group because of a change that it has not received.
        let now = present
        let step = try await queries.perform { _ throws(StoreError) in
            try StateStep<App>.between(last, and: now, of: watched, in: self.log)
        }
        switch step {
        case .none: break
        case .item(let item): try await deliver(item)
        case .tooMuch: return try await whole()
        }
        return now
    }

    /// Delivers every record from a sequence on, in order and without gaps, then new records after each flush.
    /// - Parameters:
    ///   - make: encodes 1 to `Limits.pageRecordsMax` records of at most `Limits.watchedBytesMax` bytes, but at least one record; on the
    ///     query thread, so that only few pages are decoded at the same time.
    ///   - deliver: delivers the result.
    /// - Throws: `.stopping` when the store stops, `.damaged`, `.undecodable`, `.pruned`, and the errors of `deliver`.
    public nonisolated func watchRecords<Page: Sendable>(
        from sequence: UInt64?, scope: Int?,
        passing: (Base, CommittedState<App.State>) async throws -> Void = { _, _ in }, ready: () async throws -> Void = {},
        make: @escaping @Sendable ([LoggedRecord<App>], CommittedState<App.State>) -> Page,
        deliver: (Page) async throws -> Void
    ) async throws {
        try await followRecords(from: sequence, passing: passing, ready: ready) { first, now in
            let (last, page) = try await queries.perform { _ throws(StoreError) in
                let records = try LoggedRecord<App>.page(
                    from: first, through: now.sequence, in: self.log, bytesMax: Limits.watchedBytesMax)
                let chosen = scope == nil ? records : records.filter { $0.belongs(to: scope) }
                return (records.last?.header.sequence, chosen.isEmpty ? nil : make(chosen, now))
            }
            if let page { try await deliver(page) }
            return last ?? first - 1
        }
    }

    /// Reads records from a sequence on, part by part, and waits for new ones at the end of the log.
    /// - Parameters:
    ///   - sequence: the first record; `nil`: the next one.
    ///   - passing: called if an empty log took over the state of another log; the records continue after its base.
    ///   - ready: returns when there is room for more; nothing is read before that.
    ///   - read: reads from a record up to the state's sequence or less, and returns the last record that it read.
    /// - Throws: `.stopping` when the store stops, and the errors of `read`.
    public nonisolated func followRecords(
        from sequence: UInt64?, passing: (Base, CommittedState<App.State>) async throws -> Void, ready: () async throws -> Void,
        read: (UInt64, CommittedState<App.State>) async throws -> UInt64
    ) async throws {
        var next = sequence ?? present.sequence + 1
        // A subscriber that arrives after the base was adopted requests compacted records and gets `.pruned`.
        let isFirst = present.sequence == 0
        while true {
            try await ready()
            let now = try await nextPresent(after: next - 1)
            if isFirst, next == 1, let base = log.base, base.archive == nil {
                try await passing(base, now)
                next = base.sequence + 1
            }
            if next <= now.sequence { next = try await read(next, now) + 1 }
        }
    }

    /// Waits for a record after a sequence.
    nonisolated func nextPresent(after sequence: UInt64) async throws(StoreError) -> CommittedState<App.State> {
        guard let present = await publisher.next(after: sequence) else { throw .stopping }
        return present
    }

    /// The state of at least a sequence.
    /// - Throws: `.futureSequence` after `Limits.minimumSequenceSecondsMax`, `.queryBusy` if too many reads wait.
    public nonisolated func present(atLeast sequence: UInt64) async throws(StoreError) -> CommittedState<App.State> {
        guard sequence > 0, present.sequence < sequence else { return present }
        let found = try await queries.wait {
            await withTaskGroup(of: CommittedState<App.State>?.self) { group in
                group.addTask { await self.publisher.next(after: sequence - 1) }
                group.addTask {
                    try? await Task.sleep(for: .seconds(Limits.minimumSequenceSecondsMax))
                    return nil
                }
                let first = await group.next() ?? nil
                group.cancelAll()
                return first
            }
        }
        guard let found else { throw .futureSequence(head: present.sequence) }
        return found
    }
}
