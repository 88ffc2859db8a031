import ArgumentParser
import Testing
import TodoAPI

@testable import todoctl

@Suite struct ClusterRowTests {
    private static let now: Int64 = 1_800_000_000_000_000

    private func rows(
        batches: UInt64? = 10, first: UInt64 = 1, nodes: [ClusterNodeMessage] = [], reason: String? = nil,
        _ cluster: ClusterMessage? = nil
    ) throws -> [ClusterRow] {
        let session = try Session(try Options.parse([]), SocketSearch { "/nowhere/socket" })
        let answer = MachinesMethod.Output(
            name: "todos", node: "a", batches: batches, sequence: batches, first: first, nodes: nodes, reason: reason)
        return ClusterVerb.rows(of: answer, cluster, now: Self.now, session)
    }

    private func cluster(obstacle: String? = nil, isFull: Bool = false) -> ClusterMessage {
        ClusterMessage(
            name: "todos", node: "a", batches: 3, leading: false, away: false, inDoubt: false, full: isFull, obstacle: obstacle,
            reason: nil)
    }

    private func node(
        _ name: String, behind: UInt64, silentSeconds: Int64, obstacle: String? = nil
    ) -> ClusterNodeMessage {
        ClusterNodeMessage(
            name: name, batches: 10 - behind, sequence: 10 - behind, behind: behind, time: Self.now - silentSeconds * 1_000_000,
            leading: false, obstacle: obstacle)
    }

    @Test func `if nothing can be changed, the last row has the reason`() throws {
        let rows = try rows(batches: nil, reason: "the password is wrong")
        #expect(rows.first?.words == "todos, length unknown")
        #expect(rows.last == ClusterRow(words: "Nothing can be changed: the password is wrong", isBad: true))
    }

    @Test func `while the members are full, no machine is said to lack removed batches, because none can report`() throws {
        let rows = try rows(first: 5, nodes: [node("b", behind: 8, silentSeconds: 100)], cluster(isFull: true))
        #expect(rows[1].words.hasSuffix(" or later: the members have no space for its report") && !rows[1].isBad)
        #expect(rows[2].words == "The members have no space left: see WHEN THE MEMBERS ARE FULL in todod-cluster(7).")
    }

    @Test func `a silent machine is shown with the time of its silence, and this one without outdated values`() throws {
        let words = try rows(
            nodes: [
                node("a", behind: 0, silentSeconds: 0), node("b", behind: 3, silentSeconds: 100),
                node("c", behind: 0, silentSeconds: 40), node("d", behind: 1, silentSeconds: 7_200),
                node("e", behind: 1, silentSeconds: 62),
            ]
        ).dropFirst().map(\.words)
        #expect(words[0] == "a (here): has all")
        #expect(words[1] == "b: 3 batches behind, not heard of for 100 s")
        #expect(words[2].hasPrefix("c: has all, as it said "))
        #expect(words[3] == "d: 1 batch behind, not heard of for 2 h")
        // Its last report is older than the newest batches, because it reports once a minute.
        #expect(words[4].hasPrefix("e: 1 batch behind, as it said "))
    }

    @Test func `a machine that no longer follows the others is shown with the reason`() throws {
        #expect(
            cluster(obstacle: "batch 4 can't be read\u{1b}").standstill
                == "This machine does not follow the others, and shows only what it has: batch 4 can't be read\\u{1b}")
        #expect(cluster(obstacle: nil).standstill == nil)
    }

    @Test func `another machine that does not follow is shown with the reason, whatever batches it has`() throws {
        let rows = try rows(
            nodes: [
                node("a", behind: 0, silentSeconds: 0, obstacle: "of this one it is said below"),
                node("b", behind: 0, silentSeconds: 100, obstacle: "it is of another log\u{1b}"),
            ])
        #expect(rows[1].words == "a (here): batch 10" && !rows[1].isBad)
        #expect(
            rows[2].words == "b: batch 10, not heard of for 100 s; does not follow the others, and shows only what it has: "
                + "it is of another log\\u{1b}")
        #expect(rows[2].isBad)
    }

    @Test func `the remedy for a machine that lacks removed batches is shown once`() throws {
        let gone = "the cluster no longer has the batch 3 that this machine needs: put its directory away"
        let rows = try rows(
            first: 5,
            nodes: [
                node("b", behind: 8, silentSeconds: 100, obstacle: gone), node("c", behind: 8, silentSeconds: 100),
            ])
        let (behind, remedy) = ("8 batches behind, not heard of for 100 s", "begin it with a backup of another machine")
        #expect(rows[1].words == "b: \(behind); does not follow the others, and shows only what it has: \(gone)")
        #expect(rows[2].words == "c: \(behind); the batches it needs are gone: \(remedy)")
    }

    @Test func `rows that are wider than the terminal are wrapped with indentation`() throws {
        let row = ClusterRow("machine", words: "a (here): has all; runs the commands")
        #expect(
            row.lines(width: 30, Paint(isTerminal: false, environment: { _ in nil })) == [
                "machine  a (here): has all;", "         runs the commands",
            ])
        #expect(row.lines(width: nil, Paint(isTerminal: false, environment: { _ in nil })) == ["machine  " + row.words])
    }
}
