public import ActionCoding

extension Repository: CanonicalCodable {
    /// Fields: 1 id, 2 full name, 3 description, 4 url, 5 stars.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, id)
        writer.field(2, fullName)
        writer.field(3, description)
        writer.field(4, url)
        writer.field(5, UInt64(clamping: stars))
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(id: 0, fullName: "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: id = try cursor.repositoryID(of: try cursor.uint(bytes))
            case 2: fullName = try cursor.text(bytes)
            case 3: description = try cursor.text(bytes)
            case 4: url = try cursor.text(bytes)
            case 5: stars = try cursor.stars(bytes)
            default: throw cursor.unknown()
            }
        }
        guard id > 0 else { throw CanonicalError(.missingField(1), at: cursor.offset) }
    }
}

extension CanonicalCursor {
    func repositoryID(of number: UInt64) throws(CanonicalError) -> UInt64 {
        guard Repositories.Limits.ids.contains(number) else { throw CanonicalError(.notCanonical, at: offset) }
        return number
    }

    fileprivate mutating func stars(_ bytes: RawSpan) throws(CanonicalError) -> Int64 {
        let number = try uint(bytes)
        guard number <= Repository.starsMax.magnitude else { throw CanonicalError(.notCanonical, at: offset) }
        return Int64(number)
    }
}
