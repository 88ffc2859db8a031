import Chronicle
import Testing

@Suite struct DebugLinesTests {
    @Test func `debug lines contain the old and the new value, or only a count above a limit`() {
        let changes: [Change] = [
            Change(path: "items", kind: .insert, id: 1, at: 0, new: ["title": "a \"b\"\n"]),
            Change(path: "items", kind: .remove, id: 2, at: 3, old: ["title": "c"]),
            Change(path: "items", kind: .replace, id: 3, at: 1, old: ["done": false], new: ["done": true]),
            Change(path: "items", kind: .move, id: 4, at: 2, from: 5),
            Change(path: "", kind: .set, old: ["draft": ""], new: ["draft": "x"]),
        ]
        #expect(
            DebugLines.lines(of: changes) == [
                #"+ items[0] {"title":"a \"b\"\n"}"#, #"- items[3] {"title":"c"}"#, #"- items[1] {"done":false}"#,
                #"+ items[1] {"done":true}"#, "- items[5] id 4", "+ items[2] id 4", #"- draft: """#, #"+ draft: "x""#,
            ])
        let many = Array(repeating: changes[4], count: DebugLines.changesMax + 1)
        #expect(DebugLines.lines(of: many) == ["- more than can be shown", "+ more than can be shown"])
        #expect(DebugLines.lines(of: nil) == DebugLines.lines(of: many))
    }
}
