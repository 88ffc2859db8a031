extension Point {
    /// The first moment there is: before everything, or the base of a log that was compacted.
    public static let start = Point(bookmark: "start")
    /// The last moment there is.
    public static let now = Point(bookmark: "now")
}
