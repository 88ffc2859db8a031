import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct StarTests {
    @Test func `a button pressed a hundred times makes one request at a time and only steps that there are`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let press: JSON = ["stars": ["press": ["id": "swift"]]]
        func pressOften() throws {
            for _ in 0..<100 { try client.send("org.todod.Store.Dispatch", Client.dispatch([press])) }
            for _ in 0..<100 { _ = try Client.result(client.receive()) }
        }
        func star(_ state: JSON) -> JSON? { state["stars"]?["items"]?["swift"] }
        try pressOften()
        #expect(try daemon.commands().count <= 1)
        try daemon.state("stars.items") { star($0)?["phase"]?.string == "star" }
        #expect(try daemon.todoctl("star", "show", "swift").text.contains("star  1"))
        try pressOften()
        try daemon.state("stars.items") { star($0)?["phase"]?.string != "unstaring" && star($0)?["phase"]?.string != "star" }

        var phase = "unstar"
        var (open, count) = (0, 0)
        for record in try client.log() {
            open += record["commands"]?.array?.count ?? 0
            if record["kind"]?.string == "end" { open -= 1 }
            #expect((0...1).contains(open), "\(record)")
            let step = record["action"]?["stars"]?.object?.first?.name ?? ""
            switch (phase, step) {
            case ("unstar", "staring"), ("star", "unstaring"): phase = step
            case ("staring", "starred"): (phase, count) = ("star", count + 1)
            case ("unstaring", "unstarred"): (phase, count) = ("unstar", count - 1)
            default: Issue.record("\(step) is no step from \(phase)")
            }
            #expect(count >= 0)
        }
        #expect(count == 0 || phase != "unstar")
    }

    @Test func `a button that nobody pressed shows nothing, and an id that can be none is refused`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("star", "show", "swift").text == "☆ swift  unstar  0\n")
        #expect(try daemon.todoctl("star", "show").text.isEmpty)
        #expect(try daemon.todoctl("star", "press", "").end == .exit(1))
    }
}
