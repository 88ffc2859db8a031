/// A control sequence: `ESC [`, parameters and a final byte (ECMA-48), or `ESC O` and a letter.
struct ControlSequence {
    private let introducer: UInt8
    // `<` for the mouse, or `?` for replies.
    private let mark: UInt8?
    private let numbers: [Int]
    private let final: UInt8

    enum Reading {
        case complete(ControlSequence, Int)
        case incomplete
        case broken(Int)
    }

    /// Reads a sequence from bytes that begin with Escape and `[` or `O`.
    static func read(_ bytes: ArraySlice<UInt8>) -> Reading {
        let introducer = bytes[bytes.startIndex + 1]
        var index = bytes.startIndex + 2
        var (mark, numbers): (UInt8?, [Int]) = (nil, [0])
        while index < bytes.endIndex {
            let byte = bytes[index]
            switch byte {
            case 0x30...0x39: numbers[numbers.count - 1] = min(numbers[numbers.count - 1] * 10 + Int(byte - 0x30), 1 << 21)
            case UInt8(ascii: ";"): if numbers.count < 16 { numbers.append(0) }
            case 0x3C...0x3F where index == bytes.startIndex + 2: mark = byte
            // The Linux console sends `ESC [ [ A` for F1.
            case UInt8(ascii: "[") where index == bytes.startIndex + 2: mark = byte
            case 0x40...0x7E:
                let sequence = ControlSequence(introducer: introducer, mark: mark, numbers: numbers, final: byte)
                return .complete(sequence, index - bytes.startIndex + 1)
            case 0x20...0x3F: break
            default: return .broken(index - bytes.startIndex)
            }
            index += 1
        }
        return .incomplete
    }

    var isPasteStart: Bool { introducer == UInt8(ascii: "[") && final == UInt8(ascii: "~") && numbers[0] == 200 }

    var key: ScreenKey? {
        switch (mark, final) {
        case (UInt8(ascii: "<"), UInt8(ascii: "M")), (UInt8(ascii: "<"), UInt8(ascii: "m")): return mouse
        case (UInt8(ascii: "["), 0x41...0x45): return .function(Int(final) - 0x40)
        case (nil, _): break
        default: return nil
        }
        switch final {
        case UInt8(ascii: "A"): return .arrow(.up, modifiers)
        case UInt8(ascii: "B"): return .arrow(.down, modifiers)
        case UInt8(ascii: "C"): return .arrow(.right, modifiers)
        case UInt8(ascii: "D"): return .arrow(.left, modifiers)
        // rxvt: with Shift after `[`, with Ctrl after `O`.
        case UInt8(ascii: "a"): return .arrow(.up, rxvtModifier)
        case UInt8(ascii: "b"): return .arrow(.down, rxvtModifier)
        case UInt8(ascii: "c"): return .arrow(.right, rxvtModifier)
        case UInt8(ascii: "d"): return .arrow(.left, rxvtModifier)
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "P")...UInt8(ascii: "S"): return .function(Int(final) - 0x4F)
        case UInt8(ascii: "M") where introducer == UInt8(ascii: "O"): return .enter
        case UInt8(ascii: "u"): return Self.key(of: numbers[0], modifiers)
        case UInt8(ascii: "~") where numbers[0] == 27 && numbers.count > 2: return Self.key(of: numbers[2], modifiers)
        case UInt8(ascii: "~"): return Self.numbered[numbers[0]]
        default: return nil
        }
    }

    // The parameter is the sum of the modifiers plus one.
    private var modifiers: ScreenKey.Modifiers {
        numbers.count > 1 ? ScreenKey.Modifiers(rawValue: UInt8(clamping: max(numbers[1] - 1, 0)) & 7) : []
    }

    private var rxvtModifier: ScreenKey.Modifiers { introducer == UInt8(ascii: "O") ? .control : .shift }

    private var mouse: ScreenKey? {
        guard numbers.count >= 3 else { return nil }
        let bits = numbers[0]
        let buttons: [MouseEvent.Button] = [.left, .middle, .right]
        let kind: MouseEvent.Kind
        switch bits & 0b1100_0011 {
        case 64: kind = .wheelUp
        case 65: kind = .wheelDown
        case 0...2:
            let button = buttons[bits & 3]
            kind = final == UInt8(ascii: "m") ? .release(button) : bits & 32 != 0 ? .drag(button) : .press(button)
        default: return nil
        }
        var held: ScreenKey.Modifiers = []
        if bits & 4 != 0 { held.insert(.shift) }
        if bits & 8 != 0 { held.insert(.alt) }
        if bits & 16 != 0 { held.insert(.control) }
        let place = Position(column: max(numbers[1] - 1, 0), row: max(numbers[2] - 1, 0))
        return .mouse(MouseEvent(kind, at: place, held))
    }

    // Some terminals send the character's code and the modifiers.
    private static func key(of code: Int, _ modifiers: ScreenKey.Modifiers) -> ScreenKey? {
        switch code {
        case 9: return modifiers.contains(.shift) ? .backTab : .tab
        case 13: return .enter
        case 27: return .escape
        case 8, 127: return .backspace
        default: break
        }
        guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init), scalar.properties.generalCategory != .control
        else {
            return nil
        }
        let character = Character(scalar)
        if modifiers.contains(.control) { return .control(Character(String(character).lowercased())) }
        return modifiers.contains(.alt) ? .alt(character) : .character(character)
    }

    private static let numbered: [Int: ScreenKey] = [
        1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
        11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5), 17: .function(6),
        18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10), 23: .function(11), 24: .function(12),
    ]
}
