import Terminal
import TestSupport
import Testing

@Suite struct KeyDecoderTests {
    @Test(
        arguments: [
            ("a", [.character("a")]), ("é日👩‍👩‍👧", [.character("é"), .character("日"), .character("👩‍👩‍👧")]), (" ", [.character(" ")]),
            ("\r", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{3}", [.control("c")]), ("\u{1A}", [.control("z")]),
            ("\u{1B}[A\u{1B}OB", [.up, .down]), ("\u{1B}[1;2C", [.arrow(.right, .shift)]), ("\u{1B}[1;3D", [.arrow(.left, .alt)]),
            ("\u{1B}[1;5A", [.arrow(.up, .control)]), ("\u{1B}[1;6A", [.arrow(.up, [.control, .shift])]),
            ("\u{1B}[d", [.arrow(.left, .shift)]), ("\u{1B}\u{1B}[A", [.arrow(.up, .alt)]),
            ("\u{1B}[H\u{1B}[4~\u{1B}[5~\u{1B}[6~", [.home, .end, .pageUp, .pageDown]),
            ("\u{1B}[3~\u{1B}[2~", [.delete, .insert]),
            ("\u{1B}[Z", [.backTab]),
            ("\u{1B}OP\u{1B}[15~\u{1B}[24~\u{1B}[[A", [.function(1), .function(5), .function(12), .function(1)]),
            ("\u{1B}x\u{1B}é", [.alt("x"), .alt("é")]), ("\u{1B}[97;5u\u{1B}[27;5;98~", [.control("a"), .control("b")]),
            // Bytes that no key sends.
            ("\u{1B}[I\u{1B}]11;rgb:0000/0000/0000\u{7}\u{1B}P1$r0m\u{1B}\\a", [.character("a")]),
            ("\u{9B}b", [.character("b")]),
        ] as [(String, [ScreenKey])])
    func `the bytes of a terminal are decoded into keys, at once or byte by byte`(text: String, keys: [ScreenKey]) {
        var whole = KeyDecoder()
        #expect(whole.keys(in: Array(text.utf8)) == keys)
        #expect(!whole.isWaiting)
        // Joined characters are typed as a whole.
        guard !text.unicodeScalars.contains("\u{200D}") else { return }
        var pieces = KeyDecoder()
        #expect(text.utf8.flatMap { pieces.keys(in: [$0]) } == keys)
    }

    @Test func `Escape is a key if nothing follows it`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: [0x1B]).isEmpty && decoder.isWaiting)
        #expect(decoder.timeOut() == [.escape] && !decoder.isWaiting)
        #expect(decoder.keys(in: [0x1B, 0x1B]).isEmpty)
        #expect(decoder.timeOut() == [.escape, .escape])
        #expect(decoder.keys(in: [0x1B, UInt8(ascii: "[")]).isEmpty)
        #expect(decoder.timeOut() == [.alt("[")])
        #expect(decoder.keys(in: [UInt8(ascii: "a")]) == [.character("a")])
    }

    @Test func `a mouse event has an action, a position and modifier keys`() {
        var decoder = KeyDecoder()
        let text = "\u{1B}[<0;1;1M\u{1B}[<32;300;2M\u{1B}[<0;300;2m\u{1B}[<2;5;6M\u{1B}[<64;5;6M\u{1B}[<81;5;6M\u{1B}[<35;5;6M"
        let expected: [MouseEvent] = [
            MouseEvent(.press(.left), at: Position(column: 0, row: 0)),
            MouseEvent(.drag(.left), at: Position(column: 299, row: 1)),
            MouseEvent(.release(.left), at: Position(column: 299, row: 1)),
            MouseEvent(.press(.right), at: Position(column: 4, row: 5)),
            MouseEvent(.wheelUp, at: Position(column: 4, row: 5)),
            MouseEvent(.wheelDown, at: Position(column: 4, row: 5), .control),
        ]
        #expect(decoder.keys(in: Array(text.utf8)) == expected.map { .mouse($0) })
    }

    @Test func `pasted text is one key, whatever it contains`() {
        let text = "\u{1B}[200~a\rb\r\n\u{1B}[Ac\u{1B}[201~d"
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: Array(text.utf8)) == [.paste("a\nb\n\u{1B}[Ac"), .character("d")])
        #expect(text.utf8.flatMap { decoder.keys(in: [$0]) } == [.paste("a\nb\n\u{1B}[Ac"), .character("d")])
        // A paste may arrive slowly.
        #expect(decoder.keys(in: Array("\u{1B}[200~a\u{1B}".utf8)).isEmpty && !decoder.isWaiting)
    }

    @Test func `a paste without an end is delivered in pieces`() {
        var decoder = KeyDecoder()
        _ = decoder.keys(in: Array("\u{1B}[200~".utf8))
        var pasted = 0
        for _ in 0..<300 {
            for case .paste(let text) in decoder.keys(in: Array(repeating: UInt8(ascii: "x"), count: 8_192)) {
                pasted += text.utf8.count
            }
        }
        #expect(pasted == 2 * KeyDecoder.pasteBytesMax)
    }

    @Test func `sequences that only the terminal's description names are decoded`() {
        var decoder = KeyDecoder(keys: [Array("\u{1B}[@strange".utf8): .function(9)])
        #expect(decoder.keys(in: Array("\u{1B}[@strange".utf8)) == [.function(9)])
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func `arbitrary bytes never crash the decoder`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var decoder = KeyDecoder()
        let often: [UInt8] = [0x1B, 0x5B, 0x4F, 0x3B, 0x30, 0x7E, 0xE3, 0x81, 0xF0, 0x4D, 0x3C]
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                Bool.random(using: &random) ? often.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
            _ = decoder.keys(in: bytes)
            if Int.random(in: 0..<4, using: &random) == 0 { _ = decoder.timeOut() }
        }
        _ = decoder.keys(in: KeyDecoderTests.pasteEnd)
        _ = decoder.timeOut()
        _ = decoder.timeOut()
        #expect(decoder.keys(in: Array("a".utf8)).last == .character("a"))
    }

    private static let pasteEnd = Array("\u{1B}[201~".utf8)
}
