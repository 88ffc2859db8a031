/// How large a log is.
public struct StorageUse: Sendable, Equatable {
    /// The records, rows of keys and open commands.
    public var records: Int
    /// How many keys are kept.
    public var keys: Int
    /// How many commands are open.
    public var commands: Int
    /// Up to where the map is used, in bytes; for a log in memory, what its records take.
    public var usedBytes: Int
    /// The size of the map, in bytes; 0 for a log in memory.
    public var mapBytes: Int
    /// The pages inside the used bytes that wait to be used again.
    public var freePages: Int
    /// The size of a page, in bytes; 0 for a log in memory.
    public var pageBytes: Int

    public init(
        records: Int, keys: Int, commands: Int, usedBytes: Int, mapBytes: Int = 0, freePages: Int = 0, pageBytes: Int = 0
    ) {
        self.records = records
        self.keys = keys
        self.commands = commands
        self.usedBytes = usedBytes
        self.mapBytes = mapBytes
        self.freePages = freePages
        self.pageBytes = pageBytes
    }
}
