import Testing
import Varlink

struct CallTests {
    private func parse(_ text: String) throws(CallError) -> Call {
        try Call(parsing: Array(text.utf8).span)
    }

    @Test func `a call is parsed with all members`() throws {
        let call = try parse(#"{"method":"org.example.Do","parameters":{"a":1},"more":true,"upgrade":true}"#)
        #expect(call == Call("org.example.Do", [.init("a", 1)], more: true, upgrade: true))
        #expect(call.interface == "org.example")
        #expect(call.methodName == "Do")
    }

    @Test(arguments: ["", #","parameters":null"#, #","parameters":{}"#, #","more":null,"oneway":false"#])
    func `omitted, null and empty parameters are equivalent`(rest: String) throws {
        #expect(try parse(#"{"method":"org.example.Do""# + rest + "}") == Call("org.example.Do"))
    }

    @Test func `a oneway call is never a stream`() throws {
        #expect(try parse(#"{"method":"org.example.Do","oneway":true,"more":true}"#) == Call("org.example.Do", oneway: true))
    }

    @Test(arguments: [
        ("[]", "message: not an object"), ("{}", "method"), (#"{"method":""}"#, "method"), (#"{"method":1}"#, "method"),
        (#"{"method":"a.B","parameters":[]}"#, "parameters"), (#"{"method":"a.B","more":1}"#, "more"),
        (#"{"method":"a.B","color":"red"}"#, "color"), (#"{"method":"a.B"}}"#, "message: something follows the value (byte 16)"),
        (#"{"method":"a.B","method":"a.C"}"#, "message: an object names a member twice (byte 16)"),
    ])
    func `an invalid call is refused with its mistake`(text: String, parameter: String) {
        #expect(throws: CallError.invalidParameter(parameter)) { try parse(text) }
    }

    @Test func `a method without an interface has an empty one`() {
        #expect(Call("Do").interface == "")
        #expect(Call("Do").methodName == "Do")
    }

    @Test func `a call round-trips`() throws {
        let call = Call("org.example.Do", [.init("a", ["x": [1, 2]])], more: true)
        var bytes: [UInt8] = []
        call.write(into: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self) == #"{"method":"org.example.Do","parameters":{"a":{"x":[1,2]}},"more":true}"#
                + "\0")
        bytes.removeLast()
        #expect(try parse(String(decoding: bytes, as: UTF8.self)) == call)
    }
}

struct ReplyTests {
    private func text(_ reply: Reply) -> String {
        var bytes: [UInt8] = []
        reply.write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a reply omits empty members`() {
        #expect(text(Reply([])) == #"{"parameters":{}}"# + "\0")
        #expect(text(Reply([.init("a", 1)], continues: true)) == #"{"parameters":{"a":1},"continues":true}"# + "\0")
        #expect(text(Reply(.permissionDenied)) == #"{"error":"org.varlink.service.PermissionDenied"}"# + "\0")
        #expect(
            text(Reply(.methodNotFound("a.B")))
                == #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"a.B"}}"# + "\0")
    }

    @Test(arguments: [Reply([]), Reply([.init("a", "b")], continues: true), Reply(.invalidParameter("x"))])
    func `a reply round-trips`(reply: Reply) throws {
        let bytes = Array(text(reply).utf8.dropLast())
        let again = try Reply(parsing: bytes.span)
        #expect(again == reply)
    }

    @Test func `the error of a reply is thrown`() {
        #expect(throws: CallError.expectedMore) { try Reply(.expectedMore).get() }
        #expect(throws: Never.self) { try Reply([]).get() }
    }

    @Test func `an invalid reply is refused`() {
        let bytes = Array(#"{"error":1}"#.utf8)
        #expect(throws: CallError.invalidParameter("error")) { try Reply(parsing: bytes.span) }
    }
}
