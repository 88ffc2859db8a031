import Chronicle
import TestSupport
import Testing
import TodoAPI
import Varlink

struct PlainDispatchTests {
    private static let opening = DispatchMethod.Input.opening(InterfaceNames())

    @Test func `a frame above the depth limit is left to the strict parser`() {
        let actions = #"[{"todos":{"add":{"items":[{"title":"abc"}]}}}]"#
        let text = #"{"method":"org.todod.Store.Dispatch","parameters":{"actions":"# + actions + "}}"
        // Frame, parameters, actions, action, feature, case, items, item.
        #expect(DispatchMethod.Input(plain: Array(text.utf8).span, opening: Self.opening, depthMax: 8) != nil)
        #expect(DispatchMethod.Input(plain: Array(text.utf8).span, opening: Self.opening, depthMax: 7) == nil)
    }

    private func plain(_ text: String) -> DispatchMethod.Input? {
        DispatchMethod.Input(plain: Array(text.utf8).span, opening: Self.opening)
    }

    /// The result of the strict parser; `nil` if it refuses the frame.
    private func strict(_ frame: [UInt8]) -> DispatchMethod.Input? {
        guard let call = try? Call(parsing: frame.span), call.method == DispatchMethod.name, !call.more, !call.oneway,
            !call.upgrade
        else { return nil }
        return try? DispatchMethod.Input(input: call.parameters)
    }

    private static func frame(_ actions: String, _ rest: String = "") -> String {
        #"{"method":"org.todod.Store.Dispatch","parameters":{"actions":"# + actions + rest + "}}"
    }

    private static let plainFrames = [
        frame("[]"), frame(#"[{"counter":{"increment":{}}}]"#, #","key":"k""#),
        frame(#"[{"todos":{"complete":{"id":12}}},{"todos":{"add":{"items":[{"title":"Bücher 🙂","tags":["a","b"]}]}}}]"#),
        frame(#"[{"a":{"b":{"n":-7,"t":true,"f":false,"z":0,"s":"","l":[1,[2],{}]}}}]"#, #","key":"0123456789abcdef""#),
    ]

    @Test(arguments: plainFrames) func `the fast parser agrees with the strict parser`(text: String) throws {
        let read = try #require(plain(text))
        #expect(read == strict(Array(text.utf8)))
    }

    @Test(arguments: [
        frame(#"[{"a":1.5}]"#), frame(#"[{"a":"\n"}]"#), frame(#"[{"a":01}]"#), frame(#"[{"a":1,"a":2}]"#), frame("[1]"),
        frame(#"[{"a":null}]"#), frame("[]", #","key":1"#), frame("[]", #","key":"k","dryRun":true"#),
        frame("[ ]"), frame("[]") + " ", frame(#"[{"a":12345678901234567890}]"#), frame("[]").replacing("}}", with: "}"),
        frame("[]").replacing("}}", with: #"},"more":true}"#), frame(String(repeating: "[", count: 40)), "", "{}",
        frame(#"[{"a":-}]"#), frame(#"[{"a":tru}]"#), frame("[]").replacing("Dispatch", with: "GetState"),
    ])
    func `any other frame is left to the strict parser`(text: String) { #expect(plain(text) == nil) }

    @Test func `bytes that are not UTF-8 are left to the strict parser`() {
        var frame = Array(Self.frame(#"[{"a":"x"}]"#).utf8)
        for index in frame.indices where frame[index] == UInt8(ascii: "x") { frame[index] = 0xC3 }
        #expect(DispatchMethod.Input(plain: frame.span, opening: Self.opening) == nil)
    }

    @Test func `the fast parser never disagrees with the strict parser on damaged frames`() {
        var random = SeededGenerator(7)
        let alphabet = Array(#"{}[]",:\0123456789-.etrufalsn xé"#.utf8) + [0xC3, 0x1F, 0xFF]
        var read = 0
        for _ in 0..<20_000 {
            var frame = Array(Self.plainFrames[Int.random(in: 0..<Self.plainFrames.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<frame.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: frame[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                case 1: frame.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: place)
                default: frame.remove(at: place)
                }
            }
            guard let input = DispatchMethod.Input(plain: frame.span, opening: Self.opening) else { continue }
            read += 1
            if input != strict(frame) { Issue.record("parsed differently: \(String(decoding: frame, as: UTF8.self))") }
        }
        #expect(read > 5_000)
    }
}
