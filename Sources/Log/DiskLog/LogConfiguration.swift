public struct LogConfiguration: Sendable {
    /// Size of the map in bytes; `nil`: 64 GiB, or the log's previous size if that is larger.
    public var mapBytes: Int?
    public var readersMax: UInt32
    /// The machine's id; a log last opened on another machine begins a new epoch.
    public var machineID: String
    /// The clock, in microseconds since 1970.
    public var now: @Sendable () -> Int64

    public init(
        mapBytes: Int? = nil, readersMax: UInt32 = 256, machineID: String = SystemIdentity.machineID,
        now: @escaping @Sendable () -> Int64 = SystemIdentity.now
    ) {
        self.mapBytes = mapBytes
        self.readersMax = readersMax
        self.machineID = machineID
        self.now = now
    }
}
