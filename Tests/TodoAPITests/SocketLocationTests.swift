import Foundation
import Testing
import TodoAPI

@Suite struct SocketLocationTests {
    @Test func `a session's runtime directory is used`() {
        let location = SocketLocation(environment: { $0 == "XDG_RUNTIME_DIR" ? "/run/user/7" : nil }, uid: 7)
        #expect(location.user == "/run/user/7/todod/org.todod.Store")
        #expect(!location.isSubstitute)
    }

    @Test func `without a session, a per-user temporary directory is used`() {
        #expect(SocketLocation(environment: { _ in nil }, uid: 7).user == "/tmp/todod-7/todod/org.todod.Store")
        let elsewhere = SocketLocation(environment: { $0 == "TMPDIR" ? "/var/tmp/" : "" }, uid: 7)
        #expect(elsewhere.user == "/var/tmp/todod-7/todod/org.todod.Store")
        #expect(elsewhere.isSubstitute)
    }

    @Test func `the directory is created with mode 0700, and refused with another owner or mode`() throws {
        let temporary = FileManager.default.temporaryDirectory.appending(path: "location-\(UUID())")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: temporary) }
        let uid = getuid()
        let location = SocketLocation(environment: { $0 == "TMPDIR" ? temporary.path : nil }, uid: uid)
        try location.check(uid: uid)
        try location.make(uid: uid)
        let mode = try FileManager.default.attributesOfItem(atPath: location.runtimeDirectory)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        try location.check(uid: uid)
        #expect(throws: SocketLocation.Distrust.self) { try location.check(uid: uid + 1) }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: location.runtimeDirectory)
        #expect(throws: SocketLocation.Distrust.self) { try location.check(uid: uid) }
    }
}
