import Foundation
import Glibc
import ProcessTesting
import Testing
import Varlink

@Suite(.ownThreads) struct StorageTests {
    enum Disk: String, Sendable, CaseIterable {
        case tmpfs, ext4
    }

    static let canMount = getuid() == 0 && SmallDisk.works
    static let reason: Comment = "mounting a small disk needs root, and ext4 a loop device"

    @Test(.enabled(if: canMount, reason), arguments: Disk.allCases, [1, 8, 64])
    func `a full disk refuses by name, reads continue, and writing resumes when there is space`(disk: Disk, batch: Int) throws {
        let mount = try SmallDisk(disk == .ext4 ? .ext4 : .tmpfs, mebibytes: disk == .ext4 ? 12 : 6)
        let daemon = try Daemon(environment: ["TODOD_FREE_BYTES_MIN": "0"], data: mount.path + "/data")
        try daemon.start()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        try mount.fill(leaving: 500_000)
        var acknowledged: [Int64] = []
        var refusals: [String] = []
        let note = String(repeating: "All that is to be done. ", count: 40)
        let actions = (0..<batch).map { Actions.text("\($0) \(note)") }
        for _ in 0..<4_000 / batch {
            let reply = try client.ask("org.todod.Store.Dispatch", Client.dispatch(actions))
            refusals = reply.error.map { refusals + [$0] } ?? []
            // The head file briefly has a second version beside it, so a refused dispatch may fit later.
            guard refusals.count < 3 else { break }
            acknowledged += (reply.parameters["sequences"]?.list ?? []).compactMap(\.int)
        }
        #expect(refusals == Array(repeating: "org.todod.Store.StorageFull", count: 3))
        #expect(acknowledged == (acknowledged.isEmpty ? [] : Array(2...Int64(acknowledged.count + 1))))

        let end = Int64(acknowledged.count + 1)
        #expect(try client.refusal(actions) == "StorageFull")
        #expect(try client.state("todos.items").titles == ["Buy the milk"])
        #expect(try client.log().compactMap { $0["sequence"]?.int } == Array(1...end))
        #expect(try client.sequence() == end)

        try mount.empty()
        let resumed = try client.dispatch(actions)
        #expect(resumed.sequences.first == end + 1)
        try daemon.crash()
        let again = try daemon.connect()
        #expect(try again.sequence() == end + Int64(batch))
        #expect(try Model(log: again.log()) == Model(state: again.state()))
        #expect(try daemon.stop() == .exit(0))
    }

    @Test(.enabled(if: canMount, reason))
    func `dispatches are refused while the disk is nearly full`() throws {
        let mount = try SmallDisk(.tmpfs, mebibytes: 32)
        let daemon = try Daemon(data: mount.path + "/data")
        try daemon.start()
        let client = try daemon.connect()
        try client.dispatch([Actions.increment], key: "first")
        try mount.fill(leaving: 10 << 20)
        #expect(try client.refusal([Actions.increment]) == "StorageFull")
        #expect(try client.status()["storageFull"] == true)
        // A duplicate needs no space.
        #expect(try client.dispatch([Actions.increment], key: "first").isDuplicate)
        let outcome = try daemon.todoctl("counter", "increment")
        #expect(outcome.end == .exit(74), "\(outcome)")
        let undone = try daemon.todoctl("undo")
        #expect(undone.end == .exit(74) && undone.error.hasPrefix("todoctl: The disk has "), "\(undone)")
        #expect(
            undone.error.hasSuffix(": free some space. Nothing was changed; reads continue.\n"), "\(undone)")
        #expect(try client.state("counter")["counter"]?["count"] == 1)
        try mount.empty()
        #expect(try client.dispatch([Actions.increment]).sequences == [2])
        #expect(try client.status()["storageFull"] == false)
    }

    @Test(.enabled(if: canMount, reason))
    func `at the limit of reserved disk space one page decides, and ends may use the reserve`() throws {
        let (reserve, page) = (4 << 20, 4_096)
        let mount = try SmallDisk(.tmpfs, mebibytes: 16)
        let daemon = try Daemon(environment: ["TODOD_FREE_BYTES_MIN": "\(reserve)"], data: mount.path + "/data")
        try daemon.start()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        let asked = try #require(try client.dispatch([["stars": ["press": ["id": "swift"]]]]).sequences.first)
        /// Fills the disk and dispatches.
        ///
        /// `nil` if the daemon wrote beside its log at the same time, which may take a page.
        func dispatched(leaving bytes: Int) throws -> Reply? {
            try mount.fill(leaving: bytes)
            guard try mount.freeBytes() == bytes else { return nil }
            let status = try client.status()
            guard status["freeBytes"]?.int == Int64(bytes) else { return nil }
            #expect(status["storageFull"] == .bool(bytes < reserve))
            let reply = try client.ask("org.todod.Store.Dispatch", Client.dispatch([Actions.increment]))
            return bytes >= reserve && Client.short(reply) == "StorageFull" ? nil : reply
        }
        for distance in [page, 0, -page, 0] {
            let isFull = distance < 0
            let before = try client.sequence()
            var reply: Reply?
            for _ in 0..<20 where reply == nil {
                reply = try dispatched(leaving: reserve + distance)
                if reply == nil { try mount.empty() }
            }
            let answered = try #require(reply)
            #expect((Client.short(answered) == "StorageFull") == isFull, "\(distance): \(answered)")
            if isFull {
                #expect(
                    answered.parameters["message"]?.text?.contains("fewer than the minimum of \(reserve)") == true,
                    "\(answered)")
                #expect(try client.sequence() == before)
                _ = try client.call(
                    "org.todod.Admin.ChangeCommand", ["id": ["sequence": .int(asked), "index": 0], "operation": "skip"])
                #expect(try client.sequence() > before)
            }
            try mount.empty()
        }
        #expect(try client.state("counter")["counter"]?["count"] == 3)
    }

    @Test func `a full map refuses by name, reads continue, and a larger map lets writing continue`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_MAP_SIZE": "\(2 << 20)"])
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        // One batch that is larger than the rest of the map, so that the commit itself reaches its end.
        let large = (0..<14).map { Actions.text(String(repeating: "\($0 % 10)", count: 60_000)) }
        var end: Int64 = 1
        var refusal = ""
        while refusal.isEmpty, end < 100 {
            refusal = try client.refusal(large)
            if refusal.isEmpty { end += Int64(large.count) }
        }
        #expect(refusal == "StorageFull")
        #expect(end > 1)
        #expect(try client.sequence() == end)

        let text = String(repeating: "All that is to be done. ", count: 100)
        let before = end
        refusal = ""
        for number in 0..<2_000 where refusal.isEmpty {
            refusal = try client.refusal([Actions.text("\(number) \(text)")])
            if refusal.isEmpty { end += 1 }
        }
        #expect(refusal == "StorageFull")
        #expect(end > before)
        func expectReads(_ client: Client) throws {
            #expect(try client.state("todos.items").titles == ["Buy the milk"])
            #expect(try client.log().compactMap { $0["sequence"]?.int } == Array(1...end))
        }
        try expectReads(client)
        #expect(try client.status()["storageFull"] == true)
        try daemon.crash()
        let same = try daemon.connect()
        try expectReads(same)
        #expect(try same.refusal([Actions.increment]) == "StorageFull")

        #expect(try daemon.stop() == .exit(0))
        daemon.environment["TODOD_MAP_SIZE"] = "\(64 << 20)"
        try daemon.start()
        let larger = try daemon.connect()
        try expectReads(larger)
        #expect(try larger.dispatch([Actions.increment]).sequences == [end + 1])
    }
}
