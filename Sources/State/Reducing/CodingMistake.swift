public import Values

/// An error in the coding of a type: some of its values would be decoded as other values, or not at all.
public struct CodingMistake: Error, Sendable, Equatable {
    /// A sentence that names the type, the field or case, and the remedy.
    public let message: String

    public init(_ message: String) { self.message = message }
}

extension CanonicalCodable where Self: Equatable {
    /// A sentence with both values if this value and its decoded bytes differ; else `nil`.
    public var readBackFault: String? {
        let read = Result { () throws(CanonicalError) in try Self(canonical: canonicalBytes) }
        // Compares bytes: an omitted value and the default that it decodes to have the same bytes.
        let (form, readForm) = ((self as? any ValueConvertible)?.value, (try? read.get() as? any ValueConvertible)?.value)
        if case .success(self) = read, form == readForm { return nil }
        return "\(Self.self) is not read back as it was written: \(form.map { "\($0)" } ?? "\(self)") became "
            + "\(readForm.map { "\($0)" } ?? "\(read)"). Give each field its own number and the coded default, and add each case to `blank`."
    }
}
