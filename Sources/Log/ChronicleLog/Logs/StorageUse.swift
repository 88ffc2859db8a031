public struct StorageUse: Sendable, Equatable {
    public var records: Int
    public var keys: Int
    public var commands: Int
    /// Used part of the map in bytes; for a log in memory, the size of its content.
    public var usedBytes: Int
    public var mapBytes: Int
    public var freePages: Int
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
