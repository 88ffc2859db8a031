/// A point of a log, in one of the notations that all read commands accept.
public enum Point: Sendable, Equatable {
    /// After the record of that sequence; 0 is the start.
    case sequence(UInt64)
    /// This number of records before the head.
    case back(UInt64)
    /// After the last record at or before that time, in microseconds since 1970.
    case time(Int64)
    case bookmark(String)
    /// The beginning: before the first record, or the base of a compacted log.
    case start
    case now
    /// This number of records before another point.
    indirect case before(Point, UInt64)
}
