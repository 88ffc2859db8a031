import CMachine
public import ChronicleLog
import Etcd
import Synchronization

/// The checksums of a machine at a record.
public struct SharedDigest: Sendable, Equatable {
    /// The checksum of the record and of all history before it.
    public var chain: UInt64
    /// The checksum of the state after the record.
    public var digest: UInt64

    public init(chain: UInt64, digest: UInt64) { (self.chain, self.digest) = (chain, digest) }
}

extension SharedDigest {
    /// Its text in the cluster: two decimal numbers.
    fileprivate var bytes: [UInt8] { Array("\(chain) \(digest)".utf8) }

    fileprivate init?(_ bytes: [UInt8]) {
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ").map { UInt64($0) }
        guard numbers.count == 2, let chain = numbers[0], let digest = numbers[1] else { return nil }
        self.init(chain: chain, digest: digest)
    }
}

/// The digests of all machines that share a log at one record.
public struct SharedComparison: Sendable, Equatable {
    public var sequence: UInt64
    /// By the machine's name; `nil`: it did not answer in time.
    public var digests: [String: SharedDigest?]
}

extension ReplicatedActionLog {
    /// Computes this machine's digest at a record.
    public typealias Digesting = @Sendable (UInt64) async -> SharedDigest?

    /// How long a question stays in the cluster, in seconds.
    private static let questionSeconds: Int64 = 60
    /// Timeout for a machine that has reported nothing for longer than `silentAfter`: machines look for questions every two seconds.
    private static let silentTimeMax = Duration.seconds(10)
    /// Two missed reports; while the members are full, no machine can report.
    private static let silentAfter = Duration.seconds(120)
    /// Questions that are read at once.
    static let questionsMax = 16

    /// Asks all machines for their digests at this machine's last record, and waits for the answers.
    ///
    /// The timeout is shorter for a machine that has reported nothing for two minutes. A machine that does not follow the others is not waited
    /// for, since it may never have that record.
    public func compare(within timeMax: Duration = .seconds(45)) async throws(ActionLogError) -> SharedComparison {
        do throws(EtcdError) { return try await comparison(until: .now + timeMax) } catch {
            if case .refused(.full, _) = error { throw full(error) }
            throw .unavailable(what: words(of: error))
        }
    }

    private func comparison(until deadline: ContinuousClock.Instant) async throws(EtcdError) -> SharedComparison {
        let sequence = copy.head.sequence
        let lease = try await client.answerOfAny(to: .grantLease(seconds: Self.questionSeconds))
        let question = Array("\(sequence)".utf8)
        try await client.answerOfAny(to: EtcdCall<Void>.put(keys.question(lease.id), question, lease: lease.id))
        let now = wall_microseconds()
        let nodes = keys.machines(in: try await client.answerOfAny(to: .range(EtcdRange(allWith: keys.nodes))))
        let silentDeadline = min(deadline, .now + Self.silentTimeMax)
        let awaited = nodes.filter { $0.name == node || $0.obstacle.isEmpty }.map { other in
            let isSilent = other.name != node && other.isAway(longerThan: Self.silentAfter, at: now)
            return (name: other.name, deadline: isSilent ? silentDeadline : deadline)
        }
        var answers: [String: SharedDigest] = [:]
        while !Task.isCancelled {
            let prefix = keys.answers(to: lease.id)
            for entry in try await client.answerOfAny(to: .range(EtcdRange(allWith: prefix))) {
                let name = String(decoding: entry.key.dropFirst(prefix.count), as: UTF8.self)
                answers[name] = SharedDigest(entry.value)
            }
            guard awaited.contains(where: { answers[$0.name] == nil && .now < $0.deadline }) else { break }
            try? await Task.sleep(for: Self.watchPause)
        }
        // If it can't be revoked it expires.
        _ = try? await client.answerOfAny(to: EtcdCall<Void>.revoke(lease: lease.id))
        let names = Set(nodes.map(\.name)).union(answers.keys)
        return SharedComparison(
            sequence: sequence, digests: Dictionary(uniqueKeysWithValues: names.map { ($0, answers[$0]) }))
    }

    /// Answers questions of other machines, and its own, as soon as this one has the record that they are about.
    func answer(_ questions: [EtcdEntry], by digesting: Digesting) async throws(EtcdError) {
        let open = questions.compactMap { question(in: $0) }
        state.withLock { $0.answered.formIntersection(open.map(\.lease)) }
        for question in open where question.sequence <= copy.head.sequence {
            guard state.withLock({ !$0.answered.contains(question.lease) }) else { continue }
            guard let digest = await digesting(question.sequence) else { continue }
            do throws(EtcdError) {
                let key = keys.answers(to: question.lease) + Array(node.utf8)
                try await client.answer(to: EtcdCall<Void>.put(key, digest.bytes, lease: question.lease))
            } catch {
                // The question has ended.
                guard case .refused(.notFound, _) = error else { throw error }
            }
            state.withLock { _ = $0.answered.insert(question.lease) }
        }
    }

    /// A question: the sequence of a record, under the key of the question's lease; `nil`: no machine wrote it.
    private func question(in entry: EtcdEntry) -> (lease: Int64, sequence: UInt64)? {
        let lease = Int64(String(decoding: entry.key.dropFirst(keys.questions.count), as: UTF8.self))
        guard let lease, let sequence = UInt64(String(decoding: entry.value, as: UTF8.self)) else { return nil }
        return (lease, sequence)
    }
}
