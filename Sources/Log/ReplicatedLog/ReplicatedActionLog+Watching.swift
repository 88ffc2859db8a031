import ChronicleLog
import ChronicleValues
import Etcd
import Synchronization

extension ReplicatedActionLog {
    /// How often the head is read, in case the watch missed a change.
    static let lookPause = Duration.seconds(2)
    /// How long appends are refused after a read of the head that no member answered, in nanoseconds: until the next read.
    static let lookedAwayPause: UInt64 = 4_000_000_000
    /// Pause after a watch that ended with an error.
    static let watchPause = Duration.milliseconds(250)
    /// Pause between two notifications, so that several appends are followed together.
    ///
    /// If each machine read every single append and wrote it to its disk, the next append would wait for all of them: three machines took twice
    /// as long for one client.
    static let ringPause = Duration.milliseconds(50)

    /// Calls `onNews` when others may have appended or an append in doubt can be resolved, until the task is cancelled.
    ///
    /// A watch is only a notification: it may be late, repeated or missing. So the log is read after each one, and every two seconds without.
    /// This machine also reports how far it is, answers the questions of others, and trims.
    ///
    /// - Parameter obstacle: why this machine no longer follows the others, if so.
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
                // The other loop notices that the cluster is away.
            }
            try? await Task.sleep(for: Self.lookPause)
        }
    }

    private func watch(_ onNews: @escaping @Sendable () -> Void) async {
        while !Task.isCancelled {
            do throws(EtcdError) {
                try await client.watch(keys.head) { event in
                    switch event {
                    // Something may have been appended before.
                    case .begun: onNews()
                    case .put(let entry):
                        if isNews(entry) { onNews() }
                        return true
                    }
                    return false
                }
                await ringOn(onNews)
            } catch {
                // The other loop goes on reading the head.
                try? await Task.sleep(for: Self.watchPause)
            }
        }
    }

    /// Notifies at intervals until nothing new comes; the next watch begins after that.
    private func ringOn(_ onNews: @escaping @Sendable () -> Void) async {
        var last: (appends: UInt64, batches: UInt64?)
        repeat {
            last = (state.withLock { $0.appends }, copy.place?.number)
            try? await Task.sleep(for: Self.ringPause)
            // An append of this machine itself finds out whether others appended.
            if state.withLock({ $0.appends }) == last.appends { onNews() }
        } while !Task.isCancelled && copy.place?.number != last.batches
    }

    private func look(_ onNews: @escaping @Sendable () -> Void) async {
        var round = Round(memberCount: client.memberCount)
        while !Task.isCancelled {
            if round.isOver { try? await Task.sleep(for: Self.lookPause) }
            do throws(EtcdError) {
                // By a transaction, as for a dispatch: a proxy may let through other calls only.
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
                // No member answered.
                noteAway(after: round.worst ?? error, for: Self.lookedAwayPause)
                round = Round(memberCount: client.memberCount)
            }
        }
    }

    /// Whether this machine neither has this head nor has just written it.
    func isNews(_ entry: EtcdEntry) -> Bool {
        guard let head = try? SharedHead(entry), let place = copy.place else { return true }
        return head.number > place.number && !isInFlight(head)
    }

    /// Whether the cluster's head differs from the copy's, also because the log was founded again or put back.
    private func isOther(_ entry: EtcdEntry) -> Bool {
        guard let head = try? SharedHead(entry), let own = try? sharedHead() else { return true }
        return head != own && !isInFlight(head)
    }

    private func isInFlight(_ head: SharedHead) -> Bool { head.batch == state.withLock { $0.inFlight } }
}
