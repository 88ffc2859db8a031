/// Decodes keys from terminal input, piece by piece.
///
/// Knows the common sequences and the terminal's own from terminfo. Skips unknown sequences.
public struct KeyDecoder: Sendable {
    private let known: [[UInt8]: ScreenKey]
    private let knownBytesMax: Int
    private var waiting: [UInt8] = []
    private var paste: [UInt8]?

    /// Larger pastes are split into several.
    public static let pasteBytesMax = 1 << 20
    // Limit for unsolicited terminal replies; no key is as long.
    private static let sequenceBytesMax = 4096

    static let pasteEnd = Array("\u{1B}[201~".utf8)

    public init(keys: [[UInt8]: ScreenKey] = [:]) {
        known = keys
        knownBytesMax = keys.keys.reduce(0) { max($0, $1.count) }
    }

    /// Whether it has the beginning of a key, or Escape; if nothing follows at once, call `timeOut()`.
    public var isWaiting: Bool { paste == nil && !waiting.isEmpty }

    /// The keys that are complete after these bytes.
    public mutating func keys(in bytes: [UInt8]) -> [ScreenKey] {
        var rest = (waiting + bytes)[...]
        waiting = []
        var keys: [ScreenKey] = []
        while !rest.isEmpty {
            let step = paste == nil ? key(in: rest) : pasted(in: rest)
            guard case .taken(let count, let key) = step else { break }
            rest = rest.dropFirst(count)
            if let key { keys.append(key) }
        }
        waiting = Array(rest)
        return keys
    }

    /// The keys in the buffered bytes, when the input pauses.
    public mutating func timeOut() -> [ScreenKey] {
        guard isWaiting else { return [] }
        let bytes = waiting
        waiting = []
        guard bytes[0] == 0x1B else { return [] }
        guard bytes.count > 1 else { return [.escape] }
        // Escape and a byte that could begin a sequence is Alt with that character.
        let escapes = bytes.prefix { $0 == 0x1B }.count
        guard escapes == 1, bytes.count == 2 else { return escapes == 1 ? [] : Array(repeating: .escape, count: escapes) }
        return [.alt(Character(Unicode.Scalar(bytes[1])))]
    }

    private enum Step {
        case taken(Int, ScreenKey?)
        case incomplete
    }

    private mutating func key(in bytes: ArraySlice<UInt8>) -> Step {
        guard let first = bytes.first else { return .incomplete }
        switch first {
        case 0x1B: return escaped(bytes)
        case 0x0D, 0x0A: return .taken(1, .enter)
        case 0x09: return .taken(1, .tab)
        case 0x7F, 0x08: return .taken(1, .backspace)
        case 0x00: return .taken(1, .control(" "))
        case 0x01...0x1A: return .taken(1, .control(Character(Unicode.Scalar(first + 0x60))))
        case 0x1C...0x1F: return .taken(1, .control(Character(Unicode.Scalar(first + 0x40))))
        default: return character(bytes)
        }
    }

    // A grapheme cluster, such as a letter with its combining marks.
    private func character(_ bytes: ArraySlice<UInt8>) -> Step {
        let text = bytes.prefix { $0 >= 0x20 && $0 != 0x7F }
        guard let first = text.first else { return .incomplete }
        guard first >= 0x80 else { return .taken(1, .character(Character(Unicode.Scalar(first)))) }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        let isCut = text.count < length && text.endIndex == bytes.endIndex && text.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
        if isCut, first >= 0xC2, first <= 0xF4 { return .incomplete }
        guard let character = String(decoding: text.prefix(Self.characterBytesMax), as: UTF8.self).first else {
            return .taken(1, nil)
        }
        // Invalid UTF-8 is skipped.
        guard Array(text.prefix(character.utf8.count)) == Array(character.utf8) else { return .taken(1, nil) }
        let isControl = character.unicodeScalars.first?.properties.generalCategory == .control
        return .taken(character.utf8.count, isControl ? nil : .character(character))
    }

    private static let characterBytesMax = 256

    private mutating func escaped(_ bytes: ArraySlice<UInt8>) -> Step {
        guard bytes.count > 1 else { return .incomplete }
        for length in stride(from: min(knownBytesMax, bytes.count), to: 1, by: -1) {
            if let key = known[Array(bytes.prefix(length))] { return .taken(length, key) }
        }
        let second = bytes[bytes.startIndex + 1]
        switch second {
        case UInt8(ascii: "["), UInt8(ascii: "O"):
            switch ControlSequence.read(bytes) {
            case .complete(let sequence, let count):
                if sequence.isPasteStart { paste = [] }
                return .taken(count, sequence.key)
            case .incomplete: return bytes.count > Self.sequenceBytesMax ? .taken(bytes.count, nil) : .incomplete
            case .broken(let count): return .taken(count, nil)
            }
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"):
            return reply(bytes)
        case 0x1B:
            // Some terminals send Alt with an arrow as Escape and the arrow's sequence.
            guard bytes.count > 2 else { return .incomplete }
            switch key(in: bytes.dropFirst()) {
            case .taken(let count, .arrow(let arrow, let modifiers)?):
                return .taken(count + 1, .arrow(arrow, modifiers.union(.alt)))
            case .taken: return .taken(1, .escape)
            case .incomplete: return .incomplete
            }
        default:
            guard case .taken(let count, let key) = key(in: bytes.dropFirst()) else { return .incomplete }
            switch key {
            case .character(let character): return .taken(count + 1, .alt(character))
            default: return .taken(count + 1, key)
            }
        }
    }

    // A terminal's reply ends with BEL or ST.
    private func reply(_ bytes: ArraySlice<UInt8>) -> Step {
        for index in bytes.indices.dropFirst(2) {
            if bytes[index] == 0x07 { return .taken(index - bytes.startIndex + 1, nil) }
            if bytes[index] == UInt8(ascii: "\\"), bytes[index - 1] == 0x1B { return .taken(index - bytes.startIndex + 1, nil) }
        }
        return bytes.count > Self.sequenceBytesMax ? .taken(bytes.count, nil) : .incomplete
    }

    // Terminals send a carriage return for each line end.
    private static func text(of paste: [UInt8]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(paste.count)
        for (index, byte) in paste.enumerated() where byte != 0x0A || index == 0 || paste[index - 1] != 0x0D {
            bytes.append(byte == 0x0D ? 0x0A : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func pasted(in bytes: ArraySlice<UInt8>) -> Step {
        var text = paste ?? []
        // Up to the end mark, or to a possible beginning of it.
        let escape = bytes.indices.first {
            bytes[$0] == 0x1B && Self.pasteEnd.starts(with: bytes[$0...].prefix(Self.pasteEnd.count))
        }
        text += bytes[..<(escape ?? bytes.endIndex)]
        let count = (escape ?? bytes.endIndex) - bytes.startIndex
        if let escape, bytes.endIndex - escape >= Self.pasteEnd.count {
            paste = nil
            return .taken(count + Self.pasteEnd.count, .paste(Self.text(of: text)))
        }
        guard text.count < Self.pasteBytesMax else {
            paste = []
            return .taken(count, .paste(Self.text(of: text)))
        }
        paste = text
        return count == 0 ? .incomplete : .taken(count, nil)
    }
}
