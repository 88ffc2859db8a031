import Chronicle
import Terminal
import TestSupport
import Testing

@testable import todoctl

@Suite struct ScreenRobustnessTests {
    @Test(arguments: [(80, 24), (200, 60), (59, 20), (20, 5), (1, 1), (0, 0), (300, 3)])
    func `the screen fits any size and lists all keys`(columns: Int, rows: Int) {
        var screen = SimulatedScreen(columns: columns, rows: rows)
        screen.load([.todo(1, "買い物 👩‍👩‍👧 שלום", [.init("tags", ["家"]), .init("note", "one\ntwo")])])
        for keys in [[], [ScreenKey.character("?")], [.escape, .character("e")], [.escape, .character("a")], [.character("買")]] {
            for key in keys { screen.press(key) }
            let canvas = screen.model.render()
            #expect(canvas.size == Size(columns: columns, rows: rows))
        }
    }

    @Test func `below 60 columns there is one pane`() {
        #expect(ScreenRegions(Size(columns: 59, rows: 24)).pane == nil)
        #expect(ScreenRegions(Size(columns: 60, rows: 24)).pane != nil)
    }

    @Test(arguments: 0..<20)
    func `random keys and replies end the screen only by its quit keys`(seed: UInt64) {
        var generator = SeededGenerator(seed)
        var screen = SimulatedScreen()
        let keys: [ScreenKey] =
            "aexvVsnNDPXJKjkG?/#+-0123456789 tugwbrmd".map { .character($0) } + [
                .enter, .escape, .backspace, .delete, .tab, .backTab, .home, .end, .pageUp, .pageDown, .up, .down, .left, .right,
                .arrow(.left, .shift), .alt("x"),
                .paste("one\ntwo 👍"), .control("u"), .control("w"),
                .mouse(MouseEvent(.press(.left), at: Position(column: 9, row: 5))),
            ]
        var id: Int64 = 0
        for _ in 0..<300 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                id += 1
                let new = Value.todo(id, "Todo \(id)")
                screen.change([
                    Change(path: "todos.items", kind: .insert, id: id, at: .random(in: 0...3, using: &generator), new: new)
                ])
            case 1:
                screen.change([
                    Change(path: "todos.items", kind: .remove, id: .random(in: 0...max(id, 1), using: &generator), at: 0)
                ])
            case 2: screen.load((0..<3).map { .todo($0 + 1, "Todo \($0)") })
            case 3:
                let size = Size(
                    columns: .random(in: 0...120, using: &generator), rows: .random(in: 0...40, using: &generator))
                screen.tell(.size(size))
            case 4: screen.tell(.away(Failure(.unreachable, "gone")), .connected)
            case 5: screen.answerDispatch(ids: [id])
            default: if let key = keys.randomElement(using: &generator) { screen.press(key) }
            }
            let canvas = screen.model.render()
            #expect(canvas.size == screen.model.size)
            if screen.requests.count > 100 { screen.requests = Array(screen.requests.suffix(5)) }
        }
    }
}
