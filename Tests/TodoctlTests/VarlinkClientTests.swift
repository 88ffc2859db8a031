import Chronicle
import Testing
import TodoAPI
import TodoClient
import Varlink

@Suite struct VarlinkClientTests {
    private static let refusal = #"{"error":"org.todod.Store.StaleSequence","parameters":{"message":"m","sequence":4}}"#

    @Test func `a method is called and its answer decoded`() throws {
        let daemon = try FakeDaemon([[.answer([ClientTests.ping]), .answer([ClientTests.done])]])
        let client = try VarlinkClient(daemon.path)
        #expect(try client.call(PingMethod.self).sequence == 4)
        #expect(try client.call(DispatchMethod.self, .init(actions: [["counter": ["reset": [:]]]])).sequences == [4])
        #expect(daemon.received.map(\.method) == [PingMethod.name, DispatchMethod.name])
    }

    @Test func `an error is the error of the interface`() throws {
        let daemon = try FakeDaemon([[.answer([Self.refusal])]])
        let client = try VarlinkClient(daemon.path)
        do throws(VarlinkClientError) {
            _ = try client.call(PingMethod.self)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            #expect(APIError(refusal) == .staleSequence(sequence: 4))
            return
        }
        Issue.record("no error")
    }

    @Test(arguments: [
        (FakeDaemon.Step.hangUp, VarlinkClientError.closed), (.ignore, .timedOut),
        (.answer([#"{"parameters":{"version":"0","epoch":1}}"#]), .unexpected(APIError.invalidParameter("sequence").message)),
        (.answer([#"{"continues":1}"#]), .notVarlink("continues")),
    ])
    func `an invalid answer is distinguished from an error`(step: FakeDaemon.Step, error: VarlinkClientError) throws {
        let daemon = try FakeDaemon([[step]])
        let client = try VarlinkClient(daemon.path, patience: error == .timedOut ? 20 : 20_000)
        #expect(throws: error) { try client.call(PingMethod.self) }
    }

    @Test func `an endless reply is not buffered without limit`() throws {
        let daemon = try FakeDaemon([[.answer([String(repeating: " ", count: VarlinkClient.replyBytesMax + 1)])]])
        #expect(throws: VarlinkClientError.notVarlink("a reply has more than \(VarlinkClient.replyBytesMax) bytes")) {
            try VarlinkClient(daemon.path).call(PingMethod.self)
        }
    }

    @Test func `an untrusted server receives no bytes`() throws {
        let daemon = try FakeDaemon([[.ignore]])
        #expect(throws: VarlinkClientError.untrusted("not you")) {
            _ = try VarlinkClient(daemon.path) { _ throws(VarlinkClientError) in throw .untrusted("not you") }
        }
        #expect(throws: VarlinkClientError.unreachable(2)) { _ = try VarlinkClient("/nowhere/socket") }
        #expect(daemon.received.isEmpty)
    }

    @Test func `a stream is read through its last reply`() throws {
        func page(_ sequence: Int, _ rest: String) -> String {
            #"{"parameters":{"epoch":1,"sequence":\#(sequence),"state":{"a":{}}}\#(rest)}"#
        }
        let pages = [page(1, #","continues":true"#), page(2, #","continues":true"#), page(3, "")]
        let daemon = try FakeDaemon([[.answer(pages), .answer([ClientTests.ping])]])
        let client = try VarlinkClient(daemon.path)
        var sequences: [UInt64] = []
        try client.stream(GetStateMethod.self, .init(scope: "a")) { sequences.append($0.sequence) }
        #expect(sequences == [1, 2, 3])
        #expect(try client.call(PingMethod.self).version == "0")
        #expect(daemon.received.map(\.more) == [true, false])
    }

    @Test func `calls to a service with other names are repeated with those names`() throws {
        let notFound = #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"org.todod.Store"}}"#
        let info = #"{"parameters":{"interfaces":["org.example.Store"]}}"#
        let refusal = Self.refusal.replacing("org.todod", with: "org.example")
        let daemon = try FakeDaemon([
            [
                .answer([notFound]), .answer([notFound]), .answer([info]), .answer([ClientTests.ping]), .answer([refusal]),
                .answer([ClientTests.ping]),
            ]
        ])
        let client = try VarlinkClient(daemon.path)
        try client.send(PingMethod.frame(NoFields()) + PingMethod.frame(NoFields()))
        #expect(try client.receive().error == nil)
        #expect(try client.receive().error == "org.todod.Store.StaleSequence")
        #expect(try client.call(PingMethod.self).sequence == 4)
        let again = Array(repeating: "org.example.Admin.Ping", count: 3)
        #expect(daemon.received.map(\.method).suffix(4) == ["org.varlink.service.GetInfo"] + again)
    }
}
