import CMachine
import Etcd
public import Records
import Synchronization
public import Values

/// What a machine has at a record: the checksum of all history up to it, and that of what comes of it.
public struct SharedDigest: Sendable, Equatable {
    /// The checksum of the record.
    public var chain: UInt64
    /// That of the state behind it.
    public var digest: UInt64

    public init(chain: UInt64, digest: UInt64) {
        self.chain = chain
        self.digest = digest
    }
}

/// What the machines that share a log have at one record.
public struct SharedComparison: Sendable, Equatable {
    public var sequence: UInt64
    /// What each said, by its name; `nil`: it did not say it in time.
    public var digests: [(node: String, digest: SharedDigest?)]

    /// Whether both are the same.
    public static func == (left: SharedComparison, right: SharedComparison) -> Bool {
        left.sequence == right.sequence && left.digests.elementsEqual(right.digests, by: ==)
    }
}

extension ReplicatedActionLog {
    /// What finds out what this machine has at a record.
    public typealias Digesting = @Sendable (UInt64) async -> SharedDigest?

    /// How long a question stays in the cluster, in seconds.
    private static let questionSeconds: Int64 = 60
    /// How long a machine is waited for that has said nothing for longer than `silentAfter`: several looks for questions.
    private static let silentTimeMax = Duration.seconds(10)
    /// After so much time it is not known whether a machine is there; also one whose members are full says nothing.
    private static let silentAfter = Duration.seconds(120)
    /// Questions that are looked at at once.
    static let questionsMax = 16

    /// Asks all machines what they have at the record that is this machine's last, and waits for their answers.
    ///
    /// One that has said nothing for two minutes is waited for shortly; one that does not follow may never have that record, and is not.
    public func compare(within timeMax: Duration = .seconds(45)) async throws(ActionLogError) -> SharedComparison {
        do throws(EtcdError) { return try await comparison(until: .now + timeMax) } catch {
            if case .refused(.full, _) = error { throw full(error) }
            throw .unavailable(what: words(of: error))
        }
    }

    private func comparison(until deadline: ContinuousClock.Instant) async throws(EtcdError) -> SharedComparison {
        let sequence = copy.head.sequence
        let lease = try await client.answerOfAny(to: .grantLease(seconds: Self.questionSeconds))
        let question = SharedQuestion(lease: lease.id, sequence: sequence)
        try await client.answerOfAny(to: EtcdCall<Void>.put(keys.question(lease.id), question.canonicalBytes, lease: lease.id))
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
                answers[name] = try? SharedDigest(canonical: entry.value)
            }
            guard awaited.contains(where: { answers[$0.name] == nil && .now < $0.deadline }) else { break }
            try? await Task.sleep(for: Self.watchPause)
        }
        // One that can't be taken back ends by itself.
        _ = try? await client.answerOfAny(to: EtcdCall<Void>.revoke(lease: lease.id))
        let names = Set(nodes.map(\.name)).union(answers.keys).sorted()
        return SharedComparison(sequence: sequence, digests: names.map { ($0, answers[$0]) })
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
                try await client.answer(to: EtcdCall<Void>.put(key, digest.canonicalBytes, lease: question.lease))
            } catch {
                // Nobody waits for it any more.
                guard case .refused(.notFound, _) = error else { throw error }
            }
            state.withLock { _ = $0.answered.insert(question.lease) }
        }
    }

    /// What machines ask stands under the key of its lease; anything else there is none of theirs, and no lease is 0.
    private func question(in entry: EtcdEntry) -> SharedQuestion? {
        guard let question = try? SharedQuestion(canonical: entry.value), question.lease > 0 else { return nil }
        return entry.key == keys.question(question.lease) ? question : nil
    }
}

/// Asks all machines what they have at a record.
struct SharedQuestion: Equatable {
    /// The lease under which it stands, and its answers: when nobody waits for them they go.
    var lease: Int64
    var sequence: UInt64
}

extension SharedQuestion: CanonicalCodable {
    /// Fields: 1 lease, 2 sequence.
    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, lease)
        writer.field(2, sequence)
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        (lease, sequence) = (0, 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: lease = try cursor.int(bytes)
            case 2: sequence = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

extension SharedDigest: CanonicalCodable {
    /// Fields: 1 chain, 2 digest.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, chain)
        writer.field(2, digest)
    }

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(chain: 0, digest: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: chain = try cursor.uint(bytes)
            case 2: digest = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}
