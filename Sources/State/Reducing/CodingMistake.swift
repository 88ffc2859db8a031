public import Values

/// A mistake in how a type is encoded: some of its values would be read back as others, or not at all.
public struct CodingMistake: Error, Sendable, Equatable {
    /// A sentence that names the type, the field or case, and the remedy.
    public let message: String

    public init(_ message: String) { self.message = message }
}

extension CanonicalCodable where Self: Equatable {
    /// Why this value is not what its bytes are read back as, in a sentence that shows both; `nil` if it is.
    public var readBackFault: String? {
        let read = Result { () throws(CanonicalError) in try Self(canonical: canonicalBytes) }
        // Cases compare their bytes, which are the same for a value that was left out and the default that it is read as.
        let (form, readForm) = ((self as? any ValueConvertible)?.value, (try? read.get() as? any ValueConvertible)?.value)
        if case .success(self) = read, form == readForm { return nil }
        return "\(Self.self) is not read back as it was written: \(form.map { "\($0)" } ?? "\(self)") became "
            + "\(readForm.map { "\($0)" } ?? "\(read)"). Give each field its own number and the coded default, and add each case to `blank`."
    }
}
