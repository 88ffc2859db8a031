/// How important a todo is; on the wire and in the log 0 to 3.
public enum Priority: UInt8, Sendable, CaseIterable, Comparable {
    /// Nobody said.
    case none = 0
    /// Some day.
    case low = 1
    /// Soon.
    case medium = 2
    /// First.
    case high = 3

    /// Less important.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}
