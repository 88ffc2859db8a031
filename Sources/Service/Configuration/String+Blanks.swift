extension StringProtocol where UTF8View: BidirectionalCollection {
    /// The text without the blanks, tabs and carriage returns at its ends.
    var withoutOuterBlanks: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
