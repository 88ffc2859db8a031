@testable import Etcd
import Foundation

/// What an operator does with etcdctl.
extension EtcdCluster {
    /// The ids of a member and of the leader that it knows; `nil`: it does not answer.
    func status(ofMember index: Int) -> (id: String, leader: String?)? {
        let status = EtcdCall<[String?]>("maintenance/status", []) {
            [$0["header"]?["member_id"]?.text, $0["leader"]?.text]
        }
        guard let client = try? EtcdClient(options(ofMember: index)), let ids = try? client.wait(for: status) else { return nil }
        return ids[0].map { ($0, ids[1]) }
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
