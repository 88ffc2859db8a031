import Terminal
import Testing

@testable import todoctl

@Suite struct PlaybackTests {
    @Test func `keys are letters, signs and arrows, and others are ignored`() {
        let keys = { (typed: String) in ScreenKey.typed(typed).compactMap(PlaybackKey.init) }
        #expect(keys(" np+-gG") == [.pause, .forward, .backward, .faster, .slower, .first, .last])
        #expect(
            keys("\u{1B}[C\u{1B}[D\u{1B}OA\u{1B}[B\u{1B}[H\u{1B}[F") == [
                .forward, .backward, .faster, .slower, .first, .last,
            ])
        #expect(keys("cC") == [.nextChange, .lastChange])
        #expect(keys("x").isEmpty && keys("\u{1B}[1;5").isEmpty)
        #expect(keys("\u{1B}[1;5C \u{1B}[5~") == [.forward, .pause])
    }

    @Test func `a replay plays to its end and waits there`() {
        var playback = Playback(3...5, speed: 4, isPaused: false)
        #expect(playback.current == 3 && playback.pause == 250_000)
        playback.advance()
        playback.advance()
        #expect(playback.current == 5 && playback.pause == nil)
        playback.advance()
        #expect(playback.current == 5)
    }

    @Test func `a replay continues from its end if the log grows`() {
        var playback = Playback(3...4, speed: 4, isPaused: false)
        playback.advance()
        #expect(playback.isAtEnd && playback.pause == nil)
        playback.extend(to: 6)
        #expect(!playback.isAtEnd && playback.pause == 250_000 && playback.current == 4)
        playback.extend(to: 2)
        playback.press(.last)
        #expect(playback.current == 6)
    }

    @Test func `keys step, reverse and change the speed`() {
        var playback = Playback(0...10, speed: 4, isPaused: true)
        #expect(playback.pause == nil)
        playback.press(.pause)
        playback.press(.faster)
        #expect(playback.pause == 125_000)
        playback.press(.forward)
        #expect(playback.current == 1 && playback.isPaused)
        playback.press(.backward)
        playback.press(.backward)
        #expect(playback.current == 0)
        playback.press(.last)
        playback.press(.forward)
        #expect(playback.current == 10)
        playback.press(.first)
        #expect(playback.current == 0)
        for _ in 0..<40 { playback.press(.slower) }
        #expect(playback.speed == Playback.speedMin)
        for _ in 0..<40 { playback.press(.faster) }
        #expect(playback.speed == Playback.speedMax)
    }

    @Test func `going to a change pauses the replay there, within the range`() {
        var playback = Playback(3...9, speed: 4, isPaused: false)
        playback.press(.nextChange)
        #expect(playback.current == 3 && !playback.isPaused)
        playback.go(to: 7)
        #expect(playback.current == 7 && playback.isPaused)
        playback.go(to: 12)
        #expect(playback.current == 9)
    }

    @Test(arguments: [20, 40, 60, 80, 200])
    func `the bar fits the terminal and shows the position`(columns: Int) {
        var playback = Playback(0...1000, speed: 0.25, isPaused: false)
        #expect(playback.bar(columns: columns).contains("0 of 1000"))
        #expect(Width.columns(playback.bar(columns: columns)) <= max(columns, 16))
        playback.press(.last)
        #expect(playback.bar(columns: 200).contains("━━━━ 1000 of 1000  1/4s"))
        #expect(Playback(7...7, speed: 1, isPaused: true).bar(columns: columns).hasPrefix("‖"))
    }

    @Test func `a line that is too wide is cut at the last column`() {
        #expect(Width.cut("Buy the milk", to: 12) == "Buy the milk")
        #expect(Width.cut("Buy the milk", to: 11) == "Buy the mi…")
        #expect(Width.cut("日本語", to: 4) == "日…")
    }
}
