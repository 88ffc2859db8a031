import ChronicleValues
import Testing
import Varlink

@testable import todoweb

@Suite struct AnswerTests {
    @Test func `the parts of a reply are found at any position`() throws {
        let text = #" { "continues" : true , "x":[1,{"parameters":2}], "parameters" : {"a":"}\"{,","b":[{}]} }"#
        let answer = try #require(WebAnswer(reply: Array(text.utf8)))
        #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == #"{"a":"}\"{,","b":[{}]}"#)
        #expect(Reply(webFrame: Array(text.utf8))?.continues == true)
    }

    @Test func `a written reply is parsed to the same reply`() throws {
        let replies = [
            Reply([.init("text", .text("a \"b\" \\ {\u{1F600}\n")), .init("list", .list([1, .null, [:]]))], continues: true),
            Reply([]), Reply(CallError("org.todod.feature.Todos.UnknownID", [.init("id", 3)])), Reply(CallError("a.B", [])),
        ]
        for reply in replies {
            var frame: [UInt8] = []
            reply.write(into: &frame)
            frame.removeLast()
            #expect(Reply(webFrame: frame) == reply)
            let body = try Value(parsing: try #require(WebAnswer(reply: frame)).body)
            #expect(body["error"]?.text == reply.error)
            #expect((reply.error == nil ? body : body["parameters"])?.record == reply.parameters)
        }
    }

    @Test(arguments: ["", "{", "[]", "null", #"{"parameters":{}"#, #"{"parameters":}"#, #"{"a" 1}"#, #"{"a":"b}"#, #"{"a":1 2}"#])
    func `a reply that is not an object is refused`(frame: String) {
        #expect(WebAnswer(reply: Array(frame.utf8)) == nil && Reply(webFrame: Array(frame.utf8)) == nil)
    }

    @Test func `a single reply is its parameters, and an error has a status and parameters`() throws {
        let done = try #require(WebAnswer(reply: Array(#"{"parameters":{"sequence":3}}"#.utf8)))
        #expect(done.status == 200 && String(decoding: done.body, as: UTF8.self) == #"{"sequence":3}"#)
        #expect(WebAnswer(reply: Array("{}".utf8))?.body == Array("{}".utf8))
        let statuses = [
            "org.todod.feature.Todos.UnknownID": 400, "org.varlink.service.InvalidParameter": 400,
            "org.varlink.service.PermissionDenied": 403, "org.varlink.service.MethodNotFound": 404,
            "org.varlink.service.InterfaceNotFound": 404,
        ]
        for (name, status) in statuses {
            let answer = try #require(WebAnswer(reply: Array(#"{"error":"\#(name)"}"#.utf8)))
            #expect(answer.status == status)
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"error":"\#(name)","parameters":{}}"#)
        }
    }

    @Test func `a record begins with a separator and ends with a newline`() {
        #expect(WebAnswer.record(Array("{}".utf8)) == [0x1E, 0x7B, 0x7D, 0x0A])
        let away = WebAnswer.record(of: .daemonAway("/run/x"))
        #expect(
            String(decoding: away, as: UTF8.self).hasPrefix(
                "\u{1E}{\"error\":\"org.todod.web.DaemonAway\",\"parameters\":{\"message\":\""))
        #expect(away.last == 0x0A && !away.contains(0))
    }

    @Test func `a body is one object, which is forwarded unchanged`() throws {
        #expect(try CallBody.parameters([]) == Array("{}".utf8) && CallBody.parameters(Array(" \n".utf8)) == Array("{}".utf8))
        let body = Array(" {\"a\" : [1.50, \"\\u00e9\"]} ".utf8)
        #expect(try CallBody.parameters(body) == body)
        for wrong in ["[]", "{}}", "{}\u{0}", "{},\"more\":true", "{}{}", "{\"a\":1,\"a\":2}", "x"] {
            #expect(throws: Refusal.self, "\(wrong)") { try CallBody.parameters(Array(wrong.utf8)) }
        }
    }

    @Test func `only the icon is cached by the browser`() throws {
        for name in pageTexts.keys {
            let answer = WebAnswer(try #require(PageFile(path: "/" + name)))
            #expect(answer.fields["Cache-Control"] == (name == "icon.svg" ? "private, max-age=3600" : nil), "\(name)")
        }
    }

    @Test func `the file that redirects a browser here contains only the address`() {
        let page = RedirectFile.page(to: "http://127.0.0.1:1/#token=0")
        #expect(page.ranges(of: "http://").count == 2 && page.contains("content=\"no-referrer\""))
    }
}
