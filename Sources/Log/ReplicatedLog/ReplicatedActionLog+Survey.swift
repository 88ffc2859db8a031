import CMachine
public import Etcd
import Records
import Synchronization

/// How all that belong to a shared log stand, as far as it could be found out.
public struct SharedLogSurvey: Sendable, Equatable {
    /// A member of the cluster.
    public struct Member: Sendable, Equatable {
        /// What a member is said to complain of that answers, and can do nothing because it knows no leader.
        public static let noLeader = "NOLEADER"
        /// What a member is said to complain of that answers, and refuses this machine.
        public static let denied = "DENIED"
        /// What a member is said to complain of that belongs to another cluster.
        public static let foreign = "FOREIGN"
        /// What a member is said to complain of that is none of those that this machine asks.
        public static let unlisted = "UNLISTED"

        /// Its name; empty where nobody could be asked for it.
        public var name: String
        /// Where it is asked.
        public var address: String
        /// What it says of itself; `nil`: it does not answer, or it knows no leader, or it is not asked.
        public var status: EtcdMemberStatus?
        /// What it complains of.
        public var alarms: [String]
        /// Whether it does what somebody asks who shows no token; `nil`: this machine shows none itself, or it is not known.
        public var obeysStrangers: Bool?
    }

    /// The members, in the order in which they are configured, and behind them those that are not.
    public var members: [Member] = []
    /// The machines that share the log, by name.
    public var nodes: [SharedNode] = []
    /// The machine that runs the commands, if one does.
    public var runner: String?
    /// How many batches the log has; `nil`: the members could not say it.
    public var batches: UInt64?
    /// Its last record.
    public var sequence: UInt64?
    /// The first batch that the cluster still has; `nil`: none, or it is not known.
    public var firstBatch: UInt64?
    /// Why members refuse this machine, or it them, as a sentence; `nil`: they don't.
    public var refusal: String?
    /// When it was found out, in microseconds since 1970.
    public var time: Int64 = 0
    /// The revision of the cluster at which it was so, but for the members; 0: it is not known.
    var revision: Int64 = 0

    /// The members that this machine asks.
    public var asked: [Member] { members.filter { !$0.alarms.contains(Member.unlisted) } }

    /// Whether any member complains that its database is full.
    public var isFull: Bool { members.contains { $0.alarms.contains(EtcdAlarm.noSpace) } }

    /// Whether any member does what somebody asks who shows no token; `nil`: this machine shows none itself, or it is not known.
    public var obeysStrangers: Bool? {
        let known = members.compactMap(\.obeysStrangers)
        return known.isEmpty ? nil : known.contains(true)
    }
}

extension ReplicatedActionLog {
    /// What was found out last, without asking anybody.
    public var lastSurvey: SharedLogSurvey? { state.withLock { $0.survey } }

    /// Asks everybody how they stand; what nobody answers is left out.
    @discardableResult
    public func survey() async -> SharedLogSurvey {
        var survey = SharedLogSurvey(time: wall_microseconds())
        (survey.members, survey.refusal) = await members()
        await lookAtMachines(&survey)
        state.withLock { [survey] in $0.survey = survey }
        return survey
    }

    /// Asks how the machines stand, and the log between them; whether anybody answered.
    @discardableResult
    func lookAtMachines(_ survey: inout SharedLogSurvey) async -> Bool {
        let looking = EtcdTransaction(then: [
            .range(EtcdRange(keys.head)), .range(EtcdRange(keys.batch(0), upTo: keys.batch(.max), limit: 1)),
            .range(EtcdRange(keys.leader)), .range(EtcdRange(allWith: keys.nodes)),
        ])
        let found: EtcdTransaction.Answer
        do throws(EtcdError) { found = try await asked(.transaction(looking)) } catch {
            if error.isLasting { survey.refusal = survey.refusal ?? words(of: error) }
            return false
        }
        guard found.entries.count == 4 else { return false }
        if let head = found.entries[0].first.flatMap({ try? SharedHead($0) }) {
            (survey.batches, survey.sequence) = (head.number, head.sequence)
        }
        survey.revision = found.revision
        survey.firstBatch = found.entries[1].first.flatMap { keys.number(ofBatch: $0.key) }
        survey.runner = found.entries[2].first.map { String(decoding: $0.value, as: UTF8.self) }
        survey.nodes = keys.machines(in: found.entries[3])
        tellOwn(in: &survey)
        return true
    }

    /// Puts what is known here in the place of what this machine told the members a while ago.
    private func tellOwn(in survey: inout SharedLogSurvey) {
        guard let place = copy.place, let own = survey.nodes.firstIndex(where: { $0.name == node }) else { return }
        survey.nodes[own].batches = place.number
        survey.nodes[own].sequence = copy.head.sequence
        survey.nodes[own].time = survey.time
        survey.nodes[own].obstacle = state.withLock { $0.obstacle }
    }

    /// What people want to know, of whoever answers it.
    func asked<Answer>(_ call: EtcdCall<Answer>) async throws(EtcdError) -> Answer {
        try await questionClient.answerOfAny(to: call)
    }

    private func members() async -> ([SharedLogSurvey.Member], refusal: String?) {
        let found = await withTaskGroup(of: (Int, Status, Bool?).self) { group in
            for index in questionClient.addresses.indices {
                group.addTask { (index, await self.status(of: index), await self.obeysStrangers(index)) }
            }
            var found = [(status: Status, obeysStrangers: Bool?)](
                repeating: (.silent, nil), count: questionClient.memberCount)
            for await (index, status, obeysStrangers) in group { found[index] = (status, obeysStrangers) }
            return found
        }
        let known = (try? await asked(.members)) ?? []
        let toldAlarms = try? await asked(.alarms)
        let alarms = toldAlarms ?? []
        if toldAlarms != nil { note { $0.isFull = alarms.contains { $0.kind == EtcdAlarm.noSpace } } }
        var refusal: EtcdError?
        var members = zip(questionClient.addresses, found).map { address, found in
            var status: EtcdMemberStatus?
            var complaints: [String] = []
            switch found.status {
            case .known(let told): status = told
            case .withoutLeader: complaints = [SharedLogSurvey.Member.noLeader]
            case .refusing(let error):
                complaints = [SharedLogSurvey.Member.denied]
                refusal = refusal ?? error
            case .foreign: complaints = [SharedLogSurvey.Member.foreign]
            case .silent: break
            }
            let own = known.first { $0.id == status?.id || $0.clientURLs.contains { $0.hasSuffix("//\(address)") } }
            return SharedLogSurvey.Member(
                name: own?.name ?? "", address: address, status: status,
                alarms: alarms.filter { $0.member == own?.id }.map(\.kind) + complaints,
                obeysStrangers: found.obeysStrangers)
        }
        let named = Set(members.map(\.name))
        // One of which nobody knows which it is may be any of the others.
        let areKnown = !named.contains("")
        for member in known where !named.contains(member.name) {
            members.append(
                SharedLogSurvey.Member(
                    name: member.name, address: member.clientURLs.first ?? "", status: nil,
                    alarms: alarms.filter { $0.member == member.id }.map(\.kind)
                        + (areKnown ? [SharedLogSurvey.Member.unlisted] : [])))
        }
        return (members, refusal.map { words(of: $0) })
    }

    /// What came of asking a member how it is doing.
    private enum Status: Equatable {
        case silent
        case withoutLeader
        case foreign
        case refusing(EtcdError)
        case known(EtcdMemberStatus)
    }

    private func status(of index: Int) async -> Status {
        do throws(EtcdError) {
            return .known(try await questionClient.answer(to: EtcdCall<EtcdMemberStatus>.status, of: index))
        } catch {
            if case .foreign = error { return .foreign }
            if error.isLasting { return .refusing(error) }
            // Whoever does not answer has not said that either.
            return error.isWithoutLeader ? .withoutLeader : .silent
        }
    }

    private func obeysStrangers(_ member: Int) async -> Bool? {
        guard questionClient.hasUser else { return nil }
        let call = EtcdCall<[EtcdEntry]>.range(EtcdRange(keys.head))
        return try? await questionClient.obeysStrangers(to: call, of: member)
    }
}
