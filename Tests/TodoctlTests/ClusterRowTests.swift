import ArgumentParser
import Testing
import TodoAPI

@testable import todoctl

@Suite struct ClusterRowTests {
    private static let now: Int64 = 1_800_000_000_000_000

    private func rows(
        batches: UInt64? = 10, first: UInt64 = 1, members: [ClusterMemberMessage] = [], nodes: [ClusterNodeMessage] = [],
        reason: String? = nil
    ) throws -> [ClusterRow] {
        let session = try Session(try Options.parse([]), SocketSearch { "/nowhere/socket" })
        let answer = MembersMethod.Output(
            name: "todos", node: "a", batches: batches, sequence: batches, first: first, members: members, nodes: nodes,
            open: nil, reason: reason)
        return ClusterVerb.rows(of: answer, now: Self.now, session)
    }

    private func member(_ address: String, version: String? = nil, alarms: [String]? = nil) -> ClusterMemberMessage {
        ClusterMemberMessage(
            name: "", address: address, version: version, leads: nil, databaseBytes: nil, databaseBytesInUse: nil, alarms: alarms)
    }

    private func cluster(obstacle: String?) -> ClusterMessage {
        ClusterMessage(
            name: "todos", node: "a", batches: 3, leading: false, away: false, inDoubt: false, members: nil, answering: nil,
            full: nil, obstacle: obstacle, reason: nil)
    }

    private func node(
        _ name: String, behind: UInt64, silentSeconds: Int64, obstacle: String? = nil
    ) -> ClusterNodeMessage {
        ClusterNodeMessage(
            name: name, batches: 10 - behind, sequence: 10 - behind, behind: behind, time: Self.now - silentSeconds * 1_000_000,
            leading: false, obstacle: obstacle)
    }

    @Test func `a member that answers without a leader is told from one that does not answer, and most are needed`() throws {
        let rows = try rows(batches: nil, members: [member("a:1", alarms: ["NOLEADER"]), member("b:1")])
        #expect(rows[1] == ClusterRow("member", words: "a:1: answers, has no leader", isBad: true))
        #expect(rows[2] == ClusterRow("member", words: "b:1: does not answer", isBad: true))
        #expect(rows.last?.words == "Too few members reach each other: nothing can be changed until most do, and reads go on.")
        let none = try self.rows(batches: nil, members: [member("a:1"), member("b:1")])
        #expect(none.last?.words == "No member answers: nothing can be changed until most do, and reads go on.")
    }

    @Test func `a member that is not asked is not said to be silent`() throws {
        let rows = try rows(
            batches: 3,
            members: [
                member("a:1", version: "3.4.23"), member("b:1", alarms: ["UNLISTED"]), member("", alarms: ["UNLISTED"]),
            ])
        #expect(rows[2] == ClusterRow("member", words: "b:1: is not asked: TODOD_CLUSTER does not name it", isBad: true))
        #expect(rows[3].words.hasSuffix(": has not begun yet"))
    }

    @Test func `where all members answer and none takes anything it is said why`() throws {
        let rows = try rows(batches: nil, members: [member("a:1", version: "3.4.23")], reason: "the password is wrong")
        #expect(rows.last?.words == "Nothing can be changed: the password is wrong")
    }

    @Test func `of a machine that is silent it is said for how long, and of this one nothing that is old`() throws {
        let words = try rows(
            members: [member("a:1", version: "3.4.23")],
            nodes: [
                node("a", behind: 0, silentSeconds: 0), node("b", behind: 3, silentSeconds: 100),
                node("c", behind: 0, silentSeconds: 40), node("d", behind: 1, silentSeconds: 7_200),
                node("e", behind: 1, silentSeconds: 62),
            ]
        ).dropFirst(2).map(\.words)
        #expect(words[0] == "a (here): has all")
        #expect(words[1] == "b: 3 batches behind, not heard of for 100 s")
        #expect(words[2].hasPrefix("c: has all, as it said "))
        #expect(words[3] == "d: 1 batch behind, not heard of for 2 h")
        // It lacks what came a moment ago, and says once a minute that it is there.
        #expect(words[4].hasPrefix("e: 1 batch behind, as it said "))
    }

    @Test func `that a machine no longer follows the others is said with the reason`() throws {
        #expect(
            cluster(obstacle: "batch 4 can't be read\u{1b}").standstill
                == "This machine does not follow the others, and shows only what it has: batch 4 can't be read\\u{1b}")
        #expect(cluster(obstacle: nil).standstill == nil)
    }

    @Test func `of another machine that does not follow it is said why, whatever it has`() throws {
        let rows = try rows(
            members: [member("a:1", version: "3.4.23")],
            nodes: [
                node("a", behind: 0, silentSeconds: 0, obstacle: "of this one it is said below"),
                node("b", behind: 0, silentSeconds: 100, obstacle: "it is of another log\u{1b}"),
            ])
        #expect(rows[2].words == "a (here): batch 10" && !rows[2].isBad)
        #expect(
            rows[3].words == "b: batch 10, not heard of for 100 s; does not follow the others, and shows only what it has: "
                + "it is of another log\\u{1b}")
        #expect(rows[3].isBad)
    }

    @Test func `what a machine needs that lacks what is gone is said once`() throws {
        let gone = "the cluster no longer has the batch 3 that this machine needs: put its directory away"
        let rows = try rows(
            first: 5, members: [member("a:1", version: "3.4.23")],
            nodes: [
                node("b", behind: 8, silentSeconds: 100, obstacle: gone), node("c", behind: 8, silentSeconds: 100),
            ])
        let (behind, remedy) = ("8 batches behind, not heard of for 100 s", "begin it with a backup of another machine")
        #expect(rows[2].words == "b: \(behind); does not follow the others, and shows only what it has: \(gone)")
        #expect(rows[3].words == "c: \(behind); what it needs is gone: \(remedy)")
    }

    @Test func `what is longer than the terminal is wide goes on below its beginning`() throws {
        let row = ClusterRow("member", words: "m1 at 10.0.0.1:2379: etcd 3.4.23, leads, 20 KiB")
        #expect(
            row.lines(width: 36, Paint(isTerminal: false, environment: { _ in nil })) == [
                "member   m1 at 10.0.0.1:2379: etcd", "         3.4.23, leads, 20 KiB",
            ])
        #expect(row.lines(width: nil, Paint(isTerminal: false, environment: { _ in nil })) == ["member   " + row.words])
    }
}
