/// A key as a terminal sends it.
enum TerminalKey: Equatable {
    /// One that sends one byte.
    case byte(UInt8)
    /// Escape by itself.
    case escape
    case up
    case down
    case right
    case left
    case home
    case end

    /// The keys in what a terminal sent; sequences that are none of these are passed over.
    static func keys(in bytes: [UInt8]) -> [TerminalKey] {
        var keys: [TerminalKey] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == 0x1B else {
                keys.append(.byte(byte))
                continue
            }
            // By itself it is the key; an arrow sends it with more behind it, at once.
            guard let introducer = rest.first, introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O") else {
                keys.append(.escape)
                continue
            }
            rest = rest.dropFirst()
            let end = rest.firstIndex { (0x40...0x7E).contains($0) } ?? rest.endIndex
            if let final = rest[..<min(end + 1, rest.endIndex)].last, let key = named[final] { keys.append(key) }
            rest = rest[min(end + 1, rest.endIndex)...]
        }
        return keys
    }

    private static let named: [UInt8: TerminalKey] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
        UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    ]
}
