extension String {
    /// The longest beginning of at most that many UTF-8 bytes that ends with a whole Unicode scalar.
    public func prefix(bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, bytesMax))
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
