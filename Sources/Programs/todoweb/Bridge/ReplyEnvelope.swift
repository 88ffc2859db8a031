/// Where the parts of a reply of Varlink stand in its bytes: what is passed on is neither read nor written anew.
struct ReplyEnvelope: Equatable {
    /// The object of the parameters; `nil`: there is none.
    private(set) var parameters: Range<Int>?
    /// The name of the error as it is written, with its quotes; `nil`: it is none.
    private(set) var error: Range<Int>?
    /// Whether another reply follows.
    private(set) var continues = false

    /// Finds the members of the object that a frame is; `nil`: it is none.
    ///
    /// What stands in the members is not judged: whoever reads them does that.
    init?(_ frame: [UInt8]) {
        var scan = Scan(frame)
        guard scan.take("{") else { return nil }
        if scan.take("}") { return }
        repeat {
            guard let name = scan.text(), scan.take(":"), let value = scan.value() else { return nil }
            switch Array(frame[name]) {
            case Self.parametersName where frame[value.lowerBound] == UInt8(ascii: "{"): parameters = value
            case Self.errorName where frame[value.lowerBound] == UInt8(ascii: "\""): error = value
            case Self.continuesName: continues = frame[value.lowerBound] == UInt8(ascii: "t")
            default: break
            }
        } while scan.take(",")
        guard scan.take("}") else { return nil }
    }

    private static let parametersName = Array(#""parameters""#.utf8)
    private static let errorName = Array(#""error""#.utf8)
    private static let continuesName = Array(#""continues""#.utf8)

    /// Goes over bytes of JSON once.
    private struct Scan {
        private let bytes: [UInt8]
        private var place = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        private mutating func skipBlanks() {
            while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
        }

        mutating func take(_ mark: Unicode.Scalar) -> Bool {
            skipBlanks()
            guard place < bytes.count, bytes[place] == UInt8(ascii: mark) else { return false }
            place += 1
            return true
        }

        /// A text with its quotes.
        mutating func text() -> Range<Int>? {
            skipBlanks()
            let start = place
            guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
            place += 1
            while place < bytes.count {
                switch bytes[place] {
                case UInt8(ascii: "\\"): place += 2
                case UInt8(ascii: "\""):
                    place += 1
                    return start..<place
                default: place += 1
                }
            }
            return nil
        }

        /// A value of any kind.
        mutating func value() -> Range<Int>? {
            skipBlanks()
            let start = place
            var depth = 0
            while place < bytes.count {
                switch bytes[place] {
                case UInt8(ascii: "\""):
                    guard text() != nil else { return nil }
                    if depth == 0 { return start..<place }
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return start < place ? start..<place : nil }
                    depth -= 1
                    if depth == 0 {
                        place += 1
                        return start..<place
                    }
                case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                    if depth == 0 { return start < place ? start..<place : nil }
                default: break
                }
                place += 1
            }
            return nil
        }
    }
}
