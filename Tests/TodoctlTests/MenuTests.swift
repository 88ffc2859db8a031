import Terminal
import Testing

@testable import todoctl

@Suite struct MenuTests {
    @Test func `keys are arrows, letters, digits, Enter and Esc`() {
        let keys = { (typed: String) in ScreenKey.typed(typed).compactMap(MenuKey.init) }
        #expect(keys("jk\u{1B}[A\u{1B}OBgG7\r\n") == [.down, .up, .up, .down, .first, .last, .digit(7), .enter, .enter])
        for typed in ["\u{1B}", "q", "\u{4}"] { #expect(keys(typed) == [.cancel]) }
        #expect(keys("\u{1B}[5~x").isEmpty)
    }

    @Test func `the selection stays within the names, and Enter chooses the selected one`() {
        var menu = Menu(["Swift", "Java", "C"])
        #expect(menu.press(.up) == nil && menu.marked == 0)
        for _ in 0..<5 { #expect(menu.press(.down) == nil) }
        #expect(menu.lines() == ["  1  Swift", "  2  Java", "> 3  C"])
        #expect(menu.press(.enter) == .chosen(2))
        #expect(menu.press(.cancel) == .cancelled)
        var none = Menu([])
        #expect(none.press(.down) == nil && none.press(.enter) == nil)
    }

    @Test func `a menu with more names than lines shows those around the selection`() {
        var menu = Menu((1...9).map { "N\($0)" })
        #expect(menu.lines(atMost: 3) == ["> 1  N1", "  2  N2", "  3  N3"])
        for _ in 0..<5 { #expect(menu.press(.down) == nil) }
        #expect(menu.lines(atMost: 3) == ["  5  N5", "> 6  N6", "  7  N7"])
        #expect(menu.press(.last) == nil && menu.lines(atMost: 2) == ["  8  N8", "> 9  N9"])
        #expect(menu.lines(atMost: 0).isEmpty && menu.lines(atMost: -1).isEmpty)
    }

    @Test func `digits form a number as long as it belongs to a name`() {
        var menu = Menu((1...12).map { "N\($0)" })
        #expect(menu.press(.digit(1)) == nil && menu.marked == 0)
        #expect(menu.press(.digit(2)) == nil && menu.marked == 11)
        #expect(menu.press(.digit(3)) == nil && menu.marked == 2)
        #expect(menu.press(.digit(0)) == nil && menu.marked == 2)
    }

    @Test func `a new list of names keeps the same name selected`() {
        var menu = Menu(["Swift", "Java"])
        _ = menu.press(.down)
        menu.offer(["Ada", "C", "Java"])
        #expect(menu.marked == 2)
        menu.offer(["Ada"])
        #expect(menu.marked == 0)
    }
}
