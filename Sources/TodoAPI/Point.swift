/// A moment of the log; exactly one of the first four is set.
public struct Point: Message {
    /// After the record of this sequence; 0 is before everything.
    public var sequence: UInt64?
    /// So many records before the last one.
    public var back: UInt64?
    /// After the last record at or before this time, in microseconds since 1970.
    public var time: Int64?
    /// Where the bookmark of this name stands; `start` is the first moment there is, `now` the last.
    public var bookmark: String?
    /// So many records before that.
    public var before: UInt64?

    /// Makes one.
    public init(
        sequence: UInt64? = nil, back: UInt64? = nil, time: Int64? = nil, bookmark: String? = nil,
        before: UInt64? = nil
    ) {
        self.sequence = sequence
        self.back = back
        self.time = time
        self.bookmark = bookmark
        self.before = before
    }

    /// The first moment there is: before everything, or the base of a log that was compacted.
    public static let start = Point(bookmark: "start")
    /// The last moment there is.
    public static let now = Point(bookmark: "now")

    /// The fields in order.
    public static let fieldNames = ["sequence", "back", "time", "bookmark", "before"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        sequence = try fields.optionalInteger("sequence")
        back = try fields.optionalInteger("back")
        time = try fields.optionalInteger("time")
        bookmark = try fields.optionalText("bookmark")
        before = try fields.optionalInteger("before")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("sequence", sequence)
        writer.field("back", back)
        writer.field("time", time)
        writer.field("bookmark", bookmark)
        writer.field("before", before)
    }
}
