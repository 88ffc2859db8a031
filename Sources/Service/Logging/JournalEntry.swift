/// One entry in the journal's own protocol: fields with names, one after the other.
struct JournalEntry {
    private(set) var bytes: [UInt8] = []

    /// Adds a field.
    ///
    /// A value with line breaks takes the form that says its length.
    mutating func add(_ name: String, _ value: String) {
        bytes.append(contentsOf: name.utf8)
        let value = Array(value.utf8)
        if value.contains(0x0A) {
            bytes.append(0x0A)
            let length = UInt64(value.count)
            for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes.append(contentsOf: value)
        bytes.append(0x0A)
    }

    /// The name of metadata as the journal takes it: the program, `_` and capitals, digits and underscores, at most 64 in all.
    static func fieldName(_ name: String, of program: String) -> String {
        let characters = "\(program)_\(name)".utf8.map { byte -> Character in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                Character(Unicode.Scalar(byte & 0xDF))
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                Character(Unicode.Scalar(byte))
            default:
                "_"
            }
        }
        return String(characters.prefix(64))
    }
}
