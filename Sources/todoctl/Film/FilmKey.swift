/// A key that a film obeys.
enum FilmKey: Equatable {
    case pause
    case forward
    case backward
    case faster
    case slower
    case first
    case last
    case quit

    /// The keys in what a terminal sent; what means nothing is passed over.
    static func keys(in bytes: [UInt8]) -> [FilmKey] {
        var keys: [FilmKey] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: " "): keys.append(.pause)
            case UInt8(ascii: "n"), UInt8(ascii: "l"): keys.append(.forward)
            case UInt8(ascii: "p"), UInt8(ascii: "h"): keys.append(.backward)
            case UInt8(ascii: "+"), UInt8(ascii: "="): keys.append(.faster)
            case UInt8(ascii: "-"): keys.append(.slower)
            case UInt8(ascii: "g"): keys.append(.first)
            case UInt8(ascii: "G"): keys.append(.last)
            // Ctrl-C and Ctrl-D come as bytes, because the terminal is told to leave them alone.
            case UInt8(ascii: "q"), 3, 4: keys.append(.quit)
            case 0x1B:
                guard let introducer = rest.first, introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O") else {
                    continue
                }
                rest = rest.dropFirst()
                let end = rest.firstIndex { (0x40...0x7E).contains($0) } ?? rest.endIndex
                switch rest[..<min(end + 1, rest.endIndex)].last {
                case UInt8(ascii: "C"): keys.append(.forward)
                case UInt8(ascii: "D"): keys.append(.backward)
                case UInt8(ascii: "A"): keys.append(.faster)
                case UInt8(ascii: "B"): keys.append(.slower)
                case UInt8(ascii: "H"): keys.append(.first)
                case UInt8(ascii: "F"): keys.append(.last)
                default: break
                }
                rest = rest[min(end + 1, rest.endIndex)...]
            default: break
            }
        }
        return keys
    }
}
