/// How a log is opened.
public struct LogConfiguration: Sendable {
    /// The size of the map in bytes; `nil`: 64 GiB, or what the log had if that is more.
    public var mapBytes: Int?
    /// How many views of the log can be open at once.
    public var readersMax: UInt32
    /// The machine's id; a log that was last opened on another begins a new epoch.
    public var machineID: String
    /// The time in microseconds since 1970.
    public var now: @Sendable () -> Int64

    /// The machine's own values, and the defaults.
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
