import Etcd
import Records
import Synchronization
import Values

extension ReplicatedActionLog {
    /// How often it is looked whether others appended, in case that nobody tells.
    static let lookPause = Duration.seconds(2)
    /// How long nothing is appended after a look that no member answered, in nanoseconds: until the next one.
    static let lookedAwayPause: UInt64 = 4_000_000_000
    /// How long nothing is asked after a watch has ended.
    static let watchPause = Duration.milliseconds(250)
    /// How long what others append next waits after a ring, for more that is taken in together.
    ///
    /// If each machine was told of every single append, asked for it and wrote it to its disk, the next append would wait for them all: three
    /// machines took twice as long for one client.
    static let ringPause = Duration.milliseconds(50)

    /// Tells when others may have appended, or what was in doubt can be found out, until the task is cancelled.
    ///
    /// A watch is only a bell: it may come late, again, or not at all, so what is there is read when it rings, and now and then without.
    /// Meanwhile this machine says how far it is, answers what others ask, and trims what all have.
    ///
    /// - Parameter obstacle: why this machine no longer takes in what others append, if that is so.
    public func run(
        answering digesting: @escaping Digesting = { _ in nil }, obstacle: @escaping @Sendable () -> String? = { nil },
        onNews: @escaping @Sendable () -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch(onNews) }
            group.addTask { await self.look(onNews) }
            group.addTask { await self.speak(answering: digesting, obstacle) }
            group.addTask { await self.trimNowAndThen() }
        }
    }

    private func speak(answering digesting: @escaping Digesting, _ obstacle: () -> String?) async {
        while !Task.isCancelled {
            tell(ofObstacle: obstacle())
            do throws(EtcdError) {
                try await report()
                let questions = EtcdRange(allWith: keys.questions, limit: Self.questionsMax).newestFirst
                try await answer(try await client.answer(to: .range(questions)), by: digesting)
            } catch {
                // The looks find out that nobody answers.
            }
            try? await Task.sleep(for: Self.lookPause)
        }
    }

    private func watch(_ onNews: @escaping @Sendable () -> Void) async {
        while !Task.isCancelled {
            do throws(EtcdError) {
                try await client.watch(keys.head) { event in
                    switch event {
                    // Whatever was appended before it began.
                    case .begun: onNews()
                    case .put(let entry):
                        if isNews(entry) { onNews() }
                        return true
                    case .other: break
                    }
                    return false
                }
                await ringOn(onNews)
            } catch {
                // Meanwhile there are the looks; a sleep that is cut off is followed by the end.
                try? await Task.sleep(for: Self.watchPause)
            }
        }
    }

    /// Rings now and then, until nothing comes any more; whatever does then comes before the next watch has begun.
    private func ringOn(_ onNews: @escaping @Sendable () -> Void) async {
        var last: (appends: UInt64, batches: UInt64?)
        repeat {
            last = (state.withLock { $0.appends }, copy.place?.number)
            try? await Task.sleep(for: Self.ringPause)
            // Whoever appends itself finds out by that whether others did.
            if state.withLock({ $0.appends }) == last.appends { onNews() }
        } while !Task.isCancelled && copy.place?.number != last.batches
    }

    private func look(_ onNews: @escaping @Sendable () -> Void) async {
        var round = Round(memberCount: client.memberCount)
        while !Task.isCancelled {
            if round.isOver { try? await Task.sleep(for: Self.lookPause) }
            do throws(EtcdError) {
                // By what a dispatch asks: who stands before a member may let through the gateway alone.
                let looking = EtcdTransaction(then: [.range(EtcdRange(keys.head)), .range(EtcdRange(allWith: keys.nodes))])
                let answer = try await client.answer(to: .transaction(looking)).entries
                guard answer.count == 2, let found = answer[0].first else { throw passOver(Self.noLog) }
                let ahead = (try? SharedHead(found)).flatMap { machineAhead(of: $0, in: answer[1]) }
                round = Round(memberCount: client.memberCount)
                note { ($0.awayUntil, $0.reach, $0.putBack) = (0, .answers, ahead) }
                if state.withLock({ $0.doubt != nil }) || isOther(found) { onNews() }
            } catch {
                round.note(error)
                guard round.isOver else { continue }
                // Only if none of them answers; until the next look.
                noteAway(after: round.worst ?? error, for: Self.lookedAwayPause)
                round = Round(memberCount: client.memberCount)
            }
        }
    }

    /// Whether a head is one that this machine neither has nor has just written.
    func isNews(_ entry: EtcdEntry) -> Bool {
        guard let head = try? SharedHead(entry), let place = copy.place else { return true }
        return head.number > place.number && !isInFlight(head)
    }

    /// Whether a head that was looked up is another than the copy's: also that of a log that was founded anew, or put back.
    private func isOther(_ entry: EtcdEntry) -> Bool {
        guard let head = try? SharedHead(entry), let own = try? sharedHead() else { return true }
        return head != own && !isInFlight(head)
    }

    private func isInFlight(_ head: SharedHead) -> Bool { head.batch == state.withLock { $0.inFlight } }
}
