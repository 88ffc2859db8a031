/// How an environment is opened.
public struct EnvironmentOptions: Sendable {
    /// The size of the map in bytes, rounded up to whole pages; `nil`: 64 GiB, or what the environment had if that is more.
    ///
    /// The map is address space: it takes no memory, and the file grows only as it is used.
    public var mapBytes: Int?
    /// How many read transactions can be open at once.
    public var readersMax: UInt32
    /// Whether the environment is only read; it must exist then.
    public var isReadOnly: Bool

    /// Options with the given map and defaults for the rest.
    public init(mapBytes: Int? = nil, readersMax: UInt32 = 256, isReadOnly: Bool = false) {
        self.mapBytes = mapBytes
        self.readersMax = readersMax
        self.isReadOnly = isReadOnly
    }

    /// The map of an environment whose options name none: 64 GiB.
    public static let mapBytesDefault = 64 << 30
}
