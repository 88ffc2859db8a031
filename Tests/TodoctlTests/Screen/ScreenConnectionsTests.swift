import Foundation
import TestSupport
import Testing
import TodoAPI
import TodoClient
import Varlink

@testable import todoctl

/// Tests of the screen with a daemon that neither reads nor answers.
@Suite struct ScreenConnectionsTests {
    @Test func `a daemon that reads nothing does not block calls, and counts as away once too many bytes wait`() throws {
        let silent = try ListeningSocket(places: 8)
        var connections = ScreenConnections { [path = silent.path] in path }
        guard case .connected = connections.connect() else {
            Issue.record("not connected")
            return
        }
        #expect(connections.checkSilenceAt == nil)
        let call = ScreenCall("org.todod.Store.Dispatch", ["key": .text(String(repeating: "k", count: 60_000))], over: .quick)
        var sent = 0
        while sent < 100 {
            guard let event = connections.call(RequestTag(.list, sent), call) else {
                sent += 1
                #expect(connections.checkSilenceAt != nil)
                continue
            }
            guard case .away(let failure) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(failure.message.contains("does not answer"))
            break
        }
        // More bytes than a socket holds, up to the limit.
        #expect((10..<60).contains(sent), "\(sent)")
    }

    @Test func `a connection to a socket whose backlog is full fails without waiting`() throws {
        let silent = try ListeningSocket(places: 0)
        var clients: [VarlinkClient] = []
        #expect(throws: VarlinkClientError.timedOut) {
            while clients.count < 16 { clients.append(try VarlinkClient(silent.path, patience: 1)) }
        }
        #expect(!clients.isEmpty)
    }
}
