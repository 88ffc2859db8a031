import Foundation
import Glibc
import Testing

@testable import LinuxService

@Suite struct DefaultPathsTests {
    func defaultPaths(_ environment: [String: String], uid: UInt32 = 1000) -> DefaultPaths {
        DefaultPaths(
            program: "todod", environment: environment, uid: uid, pid: 42, home: "/home/listed",
            userSocket: "/run/user/1/org.todod.Store")
    }

    @Test func `a system unit uses the system directories`() {
        let defaultPaths = defaultPaths(["STATE_DIRECTORY": "/var/lib/todod:/var/lib/other", "SYSTEMD_EXEC_PID": "42"])
        #expect(defaultPaths.dataDirectory == "/var/lib/todod")
        #expect(defaultPaths.socket == "/run/todod/org.todod.Store")
        #expect(defaultPaths.configurationFile == "/etc/todod/todod.env")
        #expect(defaultPaths.soleUID == nil)
        #expect(self.defaultPaths(["RUNTIME_DIRECTORY": "/run/elsewhere"]).socket == "/run/elsewhere/org.todod.Store")
    }

    @Test func `without systemd each user has separate directories, including the superuser`() {
        let defaultPaths = defaultPaths(["HOME": "/root"], uid: 0)
        #expect(defaultPaths.dataDirectory == "/root/.local/state/todod")
        #expect(defaultPaths.socket == "/run/user/1/org.todod.Store")
        #expect(defaultPaths.configurationFile == "/root/.config/todod/todod.env")
        #expect(defaultPaths.soleUID == nil)
    }

    @Test func `XDG variables override the directories, unless they are relative`() {
        let moved = defaultPaths(["XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"])
        #expect(moved.dataDirectory == "/s/todod")
        #expect(moved.configurationFile == "/c/todod/todod.env")
        #expect(defaultPaths(["XDG_STATE_HOME": "s"]).dataDirectory == "/home/listed/.local/state/todod")
    }

    @Test func `a user unit serves only that user`() {
        #expect(defaultPaths(["MANAGERPID": "9", "SYSTEMD_EXEC_PID": "42"]).soleUID == 1000)
        #expect(defaultPaths(["MANAGERPID": "9", "SYSTEMD_EXEC_PID": "43"]).soleUID == nil)
        let withState = defaultPaths(["MANAGERPID": "9", "STATE_DIRECTORY": "/home/x/.config/todod"])
        #expect(withState.socket == "/run/user/1/org.todod.Store")
    }

    @Test func `without a list of users every user except the overflow uid is served`() {
        let list = AccessList()
        #expect(list.access(of: 5) == .readWrite)
        #expect(list.access(of: AccessList.overflowUID) == .none)
    }

    @Test func `only the superuser and the daemon's own user administer, unless the settings say otherwise`() {
        let open = AccessList(owner: 990)
        let closed = AccessList([.init(name: "alice", uids: [1001], access: .administer)], owner: 990)
        for list in [open, closed] {
            #expect(list.access(of: 0) == .administer)
            #expect(list.access(of: 990) == .administer)
        }
        #expect(open.access(of: 1001) == .readWrite)
        #expect(closed.access(of: 1001) == .administer)
        #expect(closed.access(of: 1002) == .none)
    }

    @Test func `a user's own entry wins over a group's, and of several groups the most permissive one wins`() throws {
        let accounts = Accounts(
            uid: { ["alice": 1001, "bob": 1002][$0] },
            members: { ["staff": [1001, 1002, 1003], "audio": [1003, 1004]][$0] })
        let list = try AccessList(
            parsing: "bob:r, @staff:rwa, @audio:r", owner: nil, soleUID: nil, accounts: accounts)
        #expect(list.access(of: 1001) == .administer)
        #expect(list.access(of: 1002) == .read)
        #expect(list.access(of: 1003) == .administer)
        #expect(list.access(of: 1004) == .read)
        #expect(list.access(of: 1005) == .none)
        #expect(list.text == "bob:r,@staff:rwa,@audio:r")
    }

    @Test func `the members of a group are those it lists and those whose primary group it is`() throws {
        let name = try #require(getgrgid(0).map { String(cString: $0.pointee.gr_name) })
        #expect(try #require(Users.members(ofGroup: name)).contains(0))
        #expect(Users.members(ofGroup: "0") == Users.members(ofGroup: name))
        #expect(Users.members(ofGroup: "no such group") == nil)
        for (group, member) in Self.listedMembers {
            // A list may name a user that no longer exists.
            guard let uid = Users.uid(named: member) else { continue }
            #expect(try #require(Users.members(ofGroup: group)).contains(uid), "\(member) of \(group)")
        }
    }

    /// The members that the groups of this machine list.
    private static var listedMembers: [(group: String, member: String)] {
        let lines = (try? String(contentsOfFile: "/etc/group", encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.flatMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            return fields.count == 4 ? fields[3].split(separator: ",").map { (fields[0], String($0)) } : []
        }
    }

    @Test func `with a list of users only they and the superuser are served`() {
        let list = AccessList([
            .init(name: "alice", uids: [1001], access: .readWrite), .init(name: "bob", uids: [1002], access: .read),
        ])
        #expect(list.access(of: 1001) == .readWrite)
        #expect(list.access(of: 1002) == .read)
        #expect(list.access(of: 1003) == .none)
        #expect(list.access(of: 0) == .administer)
        #expect(list.text == "alice:rw,bob:r")
    }

    @Test func `a daemon for a single user does not serve the superuser`() {
        let list = AccessList(soleUID: 1000)
        #expect(list.access(of: 1000) == .administer)
        #expect(list.access(of: 0) == .none)
    }
}
