/// Limits and options of the JSON parser.
public struct JSONLimits: Sendable, Equatable {
    /// How to treat an object with duplicate member names.
    ///
    /// RFC 8259 leaves this to the parser. Messages refuse duplicates because they are ambiguous.
    public enum DuplicateNames: Sendable {
        case refuse
        /// Keeps both members; a lookup finds the first one.
        case keep
    }

    /// Maximum size of a member name in UTF-8 bytes.
    ///
    /// Some names are compared as Swift strings, which takes quadratic time for a sequence of combining marks.
    public static let nameBytesMax = 1024

    /// Maximum nesting depth of arrays and objects.
    public var depthMax: Int
    /// Maximum number of values, including arrays, objects and their contents; unlimited by default.
    ///
    /// A value uses about 90 bytes of memory but only two bytes of text.
    public var valuesMax: Int
    public var duplicateNames: DuplicateNames

    public init(depthMax: Int = 64, valuesMax: Int = .max, duplicateNames: DuplicateNames = .refuse) {
        (self.depthMax, self.valuesMax, self.duplicateNames) = (depthMax, valuesMax, duplicateNames)
    }
}
