import Foundation
import TestSupport
import Testing
import TodoAPI
import TodoClient
import Varlink

@testable import todoctl

/// What the screen does where the daemon neither reads nor answers.
@Suite struct ScreenConnectionsTests {
    /// A socket at which nobody takes a connection.
    private final class SilentSocket {
        let path = FileManager.default.temporaryDirectory.appending(path: "silent-\(UInt32.random(in: 0 ... .max))").path
        private let listener: Int32

        init(places: Int32) {
            listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0 && listen(listener, places) == 0)
        }

        deinit {
            close(listener)
            unlink(path)
        }
    }

    @Test func `a daemon that reads nothing holds up no call, and counts as away once too much waits for it`() throws {
        let silent = SilentSocket(places: 8)
        var connections = ScreenConnections { [path = silent.path] in path }
        guard case .connected = connections.connect() else {
            Issue.record("not connected")
            return
        }
        #expect(connections.lookAt == nil)
        let call = ScreenCall("org.todod.Store.Dispatch", ["key": .text(String(repeating: "k", count: 60_000))], over: .quick)
        var sent = 0
        while sent < 100 {
            guard let event = connections.call(RequestTag(.list, sent), call) else {
                sent += 1
                #expect(connections.lookAt != nil)
                continue
            }
            guard case .away(let failure) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(failure.message.contains("does not answer"))
            break
        }
        // More than a socket holds, and no more than is kept for it.
        #expect((10..<60).contains(sent), "\(sent)")
    }

    @Test func `where so many wait for the daemon that there is no room, nobody waits for room`() throws {
        let silent = SilentSocket(places: 0)
        var clients: [VarlinkClient] = []
        #expect(throws: VarlinkClientError.timedOut) {
            while clients.count < 16 { clients.append(try VarlinkClient(silent.path, queueing: .giveUp)) }
        }
        #expect(!clients.isEmpty)
    }
}
