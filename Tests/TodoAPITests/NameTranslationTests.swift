import Testing
import TodoAPI
import Varlink

@Suite struct NameTranslationTests {
    private static let notFound = #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"x.y"}}"#
    private static let ask = #"{"method":"org.varlink.service.GetInfo","parameters":{}}"# + "\0"

    private static func info(_ prefix: String) -> String {
        #"{"parameters":{"interfaces":["org.varlink.service","\#(prefix).Store","\#(prefix).feature.Store"]}}"#
    }

    private static func call(_ method: String, _ parameters: String = "{}") -> String {
        #"{"method":"\#(method)","parameters":\#(parameters)}"# + "\0"
    }

    private static func description(_ prefix: String) -> String {
        call("org.varlink.service.GetInterfaceDescription", #"{"interface":"\#(prefix).Store"}"#)
    }

    private var translation = NameTranslation()

    private mutating func send(_ text: String) -> String { String(decoding: translation.send(Array(text.utf8)), as: UTF8.self) }

    private mutating func receive(_ text: String) -> (replies: [String], calls: String) {
        let received = translation.receive(Array(text.utf8))
        return (received.replies.map { String(decoding: $0, as: UTF8.self) }, String(decoding: received.calls, as: UTF8.self))
    }

    @Test mutating func `the frames of a service with todod's names stay as they are`() {
        let calls = Self.call("org.varlink.service.GetInfo") + Self.call("org.todod.Store.View")
        #expect(send(calls) == calls)
        #expect(receive(Self.info("org.todod")) == ([Self.info("org.todod")], ""))
        #expect(!translation.isComplete)
        #expect(receive("{}") == (["{}"], ""))
        #expect(translation.isIdentity)
    }

    @Test mutating func `refused calls are repeated in order, including those made in between`() {
        let names = ["Store.Dispatch", "History.Log", "Admin.Ping"]
        let own = names.map { Self.call("org.todod." + $0) }
        let served = names.map { Self.call("org.example." + $0) }
        #expect(send(own[0] + Self.description("org.todod")) == own[0] + Self.description("org.todod"))
        #expect(send(own[1]) == own[1])
        #expect(receive(Self.notFound) == ([], Self.ask))
        #expect(send(own[2]).isEmpty)
        for _ in 0..<2 { #expect(receive(Self.notFound) == ([], "")) }
        let again = served[0] + Self.description("org.example") + served[1] + served[2]
        #expect(receive(Self.info("org.example")) == ([], again))
        #expect(send(own[0]) == served[0])
        #expect(receive(#"{"error":"org.example.Store.Stopping"}"#) == ([#"{"error":"org.todod.Store.Stopping"}"#], ""))
        #expect(translation.names == InterfaceNames(prefix: "org.example"))
    }

    @Test(arguments: [info("org.todod"), #"{"parameters":{"interfaces":["com.example.Other"]}}"#, "no JSON"])
    mutating func `a service without other names keeps its refusals`(info: String) {
        _ = send(Self.call("org.todod.Nothing.Do") + Self.call("org.todod.Nothing.Do"))
        #expect(receive(Self.notFound) == ([], Self.ask))
        let later = Self.call("org.todod.Admin.Ping")
        #expect(send(later).isEmpty)
        #expect(receive(Self.notFound) == ([], ""))
        #expect(receive(info) == ([Self.notFound, Self.notFound], later))
    }

    @Test mutating func `no call of another interface is ever repeated`() {
        _ = send(Self.call("org.todod.Store.View") + Self.call("com.example.Do"))
        #expect(receive(Self.notFound) == ([Self.notFound], ""))
        #expect(receive("{}") == (["{}"], ""))
    }

    @Test mutating func `names that the service no longer has are requested again`() {
        translation = NameTranslation(InterfaceNames(prefix: "org.example"))
        #expect(send(Self.call("org.todod.Store.View")) == Self.call("org.example.Store.View"))
        #expect(receive(Self.notFound) == ([], Self.ask))
        #expect(receive(Self.info("org.todod")) == ([], Self.call("org.todod.Store.View")))
    }
}
