internal import Values

/// A member, as the cluster knows it.
public struct EtcdMember: Sendable, Equatable {
    public var id: UInt64
    /// Its name; empty before it has started for the first time.
    public var name: String
    /// Where it can be asked, as it says itself.
    public var clientURLs: [String]
}

/// How one member is doing.
public struct EtcdMemberStatus: Sendable, Equatable {
    public var version: String
    /// Bytes that its database takes on disk.
    public var databaseBytes: Int64
    /// How many of them hold something; the rest comes back with a defragmentation.
    public var databaseBytesInUse: Int64
    public var id: UInt64
    /// The id of the leader it knows of; 0: none.
    public var leader: UInt64
    /// How many entries of the members' own log it has carried out.
    public var appliedIndex: UInt64
}

/// What a member complains of.
public struct EtcdAlarm: Sendable, Equatable {
    /// That its database has reached its quota: nothing is written any more.
    public static let noSpace = "NOSPACE"

    /// The id of the member.
    public var member: UInt64
    /// `NOSPACE` or `CORRUPT`.
    public var kind: String
}

extension EtcdCall {
    /// Asks the member that answers how it is doing.
    public static var status: EtcdCall<EtcdMemberStatus> {
        EtcdCall<EtcdMemberStatus>("maintenance/status", []) { answer in
            guard let version = answer["version"]?.text, let id = answer["header"]?["member_id"]?.id else { return nil }
            return EtcdMemberStatus(
                version: version, databaseBytes: answer["dbSize"]?.number ?? 0,
                databaseBytesInUse: answer["dbSizeInUse"]?.number ?? 0, id: id, leader: answer["leader"]?.id ?? 0,
                appliedIndex: answer["raftAppliedIndex"]?.id ?? 0)
        }
    }

    /// Asks who belongs to the cluster.
    public static var members: EtcdCall<[EtcdMember]> {
        EtcdCall<[EtcdMember]>("cluster/member/list", []) { answer in
            guard let members = answer["members"]?.list, members.count <= membersMax else { return nil }
            return members.compactMap { member in
                guard let id = member["ID"]?.id else { return nil }
                return EtcdMember(
                    id: id, name: member["name"]?.text ?? "", clientURLs: member["clientURLs"]?.list?.compactMap(\.text) ?? [])
            }
        }
    }

    /// Asks what members complain of.
    public static var alarms: EtcdCall<[EtcdAlarm]> {
        EtcdCall<[EtcdAlarm]>("maintenance/alarm", [.init("action", .text("GET"))], hasHeader: false) { answer in
            let alarms = answer["alarms"]?.list ?? []
            guard alarms.count <= 2 * membersMax else { return nil }
            return alarms.compactMap { alarm in
                alarm["memberID"]?.id.map { EtcdAlarm(member: $0, kind: alarm["alarm"]?.text ?? "") }
            }
        }
    }

    /// Takes back a complaint whose cause is mended.
    public static func disarm(_ alarm: EtcdAlarm) -> EtcdCall<Void> {
        EtcdCall<Void>(
            "maintenance/alarm",
            [
                .init("action", .text("DEACTIVATE")), .init("memberID", .text("\(alarm.member)")),
                .init("alarm", .text(alarm.kind)),
            ], hasHeader: false
        ) { _ in () }
    }

    /// Forgets what keys were before a revision; once it is answered their room can be used again.
    public static func compact(through revision: Int64) -> EtcdCall<Void> {
        EtcdCall<Void>(
            "kv/compaction", [.init("revision", .text("\(revision)")), .init("physical", .bool(true))], within: slowTimeMax
        ) { _ in () }
    }

    /// Gives back to the file system what the database of the member that answers does not use; it does nothing else meanwhile.
    public static var defragment: EtcdCall<Void> {
        EtcdCall<Void>("maintenance/defragment", [], within: slowTimeMax, hasHeader: false) { _ in () }
    }
}

/// Members of a cluster; each complains of two things at most.
private let membersMax = 256

/// How long members may take for what goes through all of their database.
private let slowTimeMax = Duration.seconds(60)

extension Value {
    /// The id of a member, which the gateway writes as a text.
    fileprivate var id: UInt64? { text.flatMap { UInt64($0) } ?? int.map { UInt64(bitPattern: $0) } }
}
