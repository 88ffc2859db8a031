/// A moment of a log, in one of the notations that all reading verbs take.
public enum Point: Sendable, Equatable {
    /// After the record of that sequence; 0 is before everything.
    case sequence(UInt64)
    /// So many records before the head.
    case back(UInt64)
    /// After the last record at or before that time, in microseconds since 1970.
    case time(Int64)
    case bookmark(String)
    /// The beginning: before everything, or the base of a log that was compacted.
    case start
    /// The head.
    case now
    /// So many records before another moment.
    indirect case before(Point, UInt64)
}
