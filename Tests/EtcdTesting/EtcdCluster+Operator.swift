import ChronicleValues
@testable import Etcd
import Foundation

/// What an operator does with etcdctl.
extension EtcdCluster {
    /// What a member says of itself.
    public struct MemberStatus: Sendable {
        var id: String
        /// The id of the leader that it knows.
        var leader: String?
        /// The number of entries of the members' own log that it has applied.
        public var appliedIndex: Int64
    }

    /// The status of a member; `nil`: it does not answer.
    public func status(ofMember index: Int) -> MemberStatus? {
        let status = EtcdCall<MemberStatus>("maintenance/status", []) { answer in
            guard let id = answer["header"]?["member_id"]?.text else { return nil }
            return MemberStatus(
                id: id, leader: answer["leader"]?.text, appliedIndex: answer["raftAppliedIndex"]?.number ?? 0)
        }
        return try? EtcdClient(options(ofMember: index)).wait(for: status)
    }

    /// Defragments each member, the leader last, and disarms the alarms; members without certificates only.
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

    /// Asks without a client: members answer these requests without a header.
    private func post(_ path: String, _ body: String, to member: Int) -> String {
        FakeMember.answer(of: endpoints[member], to: path, "\r\n\r\n" + body).body
    }
}
