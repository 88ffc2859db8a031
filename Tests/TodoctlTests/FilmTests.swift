import Testing

@testable import todoctl

@Suite struct FilmTests {
    @Test func `keys are letters, signs and arrows, and anything else is passed over`() {
        #expect(
            FilmKey.keys(in: Array(" np+-gGq".utf8)) == [.pause, .forward, .backward, .faster, .slower, .first, .last, .quit])
        #expect(
            FilmKey.keys(in: Array("\u{1B}[C\u{1B}[D\u{1B}OA\u{1B}[B\u{1B}[H\u{1B}[F".utf8)) == [
                .forward, .backward, .faster, .slower, .first, .last,
            ])
        #expect(FilmKey.keys(in: [3]) == [.quit])
        #expect(FilmKey.keys(in: Array("x\u{1B}".utf8)).isEmpty)
        #expect(FilmKey.keys(in: Array("\u{1B}[1;5".utf8)).isEmpty)
        #expect(FilmKey.keys(in: Array("\u{1B}[1;5C \u{1B}[5~".utf8)) == [.forward, .pause])
    }

    @Test func `a film plays to its end and waits there`() {
        var reel = FilmReel(3...5, speed: 4, isPaused: false)
        #expect(reel.current == 3 && reel.pause == 250_000)
        reel.advance()
        reel.advance()
        #expect(reel.current == 5 && reel.pause == nil)
        reel.advance()
        #expect(reel.current == 5 && !reel.isOver)
    }

    @Test func `keys step, turn back, change the speed and end it`() {
        var reel = FilmReel(0...10, speed: 4, isPaused: true)
        #expect(reel.pause == nil)
        reel.press(.pause)
        reel.press(.faster)
        #expect(reel.pause == 125_000)
        reel.press(.forward)
        #expect(reel.current == 1 && reel.isPaused)
        reel.press(.backward)
        reel.press(.backward)
        #expect(reel.current == 0)
        reel.press(.last)
        reel.press(.forward)
        #expect(reel.current == 10)
        reel.press(.first)
        #expect(reel.current == 0)
        for _ in 0..<40 { reel.press(.slower) }
        #expect(reel.speed == FilmReel.speedMin)
        for _ in 0..<40 { reel.press(.faster) }
        #expect(reel.speed == FilmReel.speedMax)
        reel.press(.quit)
        #expect(reel.isOver)
    }

    @Test(arguments: [20, 40, 60, 80, 200])
    func `the bar fits the terminal and shows the place`(columns: Int) {
        var reel = FilmReel(0...1000, speed: 0.25, isPaused: false)
        #expect(reel.bar(columns: columns).contains("0 of 1000"))
        #expect(Width.columns(reel.bar(columns: columns)) <= max(columns, 16))
        reel.press(.last)
        #expect(reel.bar(columns: 200).contains("━━━━ 1000 of 1000  1/4s"))
        #expect(FilmReel(7...7, speed: 1, isPaused: true).bar(columns: columns).hasPrefix("‖"))
    }

    @Test func `what is too wide is cut where its columns end`() {
        #expect(Width.cut("Buy the milk", to: 12) == "Buy the milk")
        #expect(Width.cut("Buy the milk", to: 11) == "Buy the mi…")
        #expect(Width.cut("日本語", to: 4) == "日…")
    }
}
