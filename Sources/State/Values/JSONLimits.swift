/// What a JSON text may hold before it is refused.
public struct JSONLimits: Sendable, Equatable {
    /// What is done with an object that names a member twice.
    ///
    /// RFC 8259 leaves it to the reader. A message that says two things is refused; as a text of its own it is still JSON.
    public enum DuplicateNames: Sendable {
        case refuse
        /// Both members are kept; looking one up finds the first.
        case keep
    }

    /// UTF-8 bytes of a member's name.
    ///
    /// Some are looked up as Swift compares texts, which takes time that grows with the square of a run of combining marks.
    public static let nameBytesMax = 1024

    /// How many arrays and objects may stand inside each other.
    public var depthMax: Int
    /// How many values there may be, arrays and objects with what is in them; no limit unless one is set.
    ///
    /// A value takes some 90 bytes of memory, and can be written in two.
    public var valuesMax: Int
    /// What is done with an object that names a member twice.
    public var duplicateNames: DuplicateNames

    /// Sets the limits of a reader.
    public init(depthMax: Int = 64, valuesMax: Int = .max, duplicateNames: DuplicateNames = .refuse) {
        self.depthMax = depthMax
        self.valuesMax = valuesMax
        self.duplicateNames = duplicateNames
    }

    /// 64 levels, no name twice.
    public static let `default` = JSONLimits()
}
