import ChronicleValues
@testable public import Etcd
import Foundation

/// The calls that only tests make.
extension EtcdCall {
    public static func put(_ key: [UInt8], _ value: [UInt8], lease: Int64 = 0) -> EtcdCall<Void> {
        EtcdCall<Void>("kv/put", Value.putFields(key, value, lease: lease)) { _ in () }
    }

    public static func delete(_ range: EtcdRange) -> EtcdCall<Void> {
        EtcdCall<Void>("kv/deleterange", range.fields) { _ in () }
    }
}

/// The actions of an operator, done with etcdctl in practice.
extension EtcdCluster {
    /// The status that a member reports.
    public struct MemberStatus: Sendable {
        var id: String
        /// The id of the leader as this member knows it.
        var leader: String?
        /// The index of the last entry of the members' own log that it has applied.
        public var appliedIndex: Int64
    }

    /// The status of a member, or `nil` if it does not answer.
    public func status(ofMember index: Int) -> MemberStatus? {
        let status = EtcdCall<MemberStatus>("maintenance/status", []) { answer in
            guard let id = answer["header"]?["member_id"]?.text else { return nil }
            return MemberStatus(
                id: id, leader: answer["leader"]?.text, appliedIndex: answer["raftAppliedIndex"]?.number ?? 0)
        }
        return try? EtcdClient(options(ofMember: index)).wait(for: status)
    }

    /// Defragments each member, the leader last, and disarms the alarms.
    ///
    /// Only for members without certificates.
    public func defragmentAndDisarm() throws {
        let leader = try leader()
        for member in endpoints.indices.filter({ $0 != leader }) + [leader] {
            _ = post("maintenance/defragment", "{}", to: member)
        }
        let alarms = post("maintenance/alarm", #"{"action":"GET"}"#, to: leader)
        for alarm in alarms.matches(of: #/"memberID":"(\d+)"/#) {
            _ = post(
                "maintenance/alarm", #"{"action":"DEACTIVATE","memberID":"\#(alarm.1)","alarm":"NOSPACE"}"#, to: leader)
        }
    }

    /// Sends a request without a client.
    ///
    /// Members answer these requests without a header.
    private func post(_ path: String, _ body: String, to member: Int) -> String {
        FakeMember.answer(of: endpoints[member], to: path, "\r\n\r\n" + body).body
    }
}
