internal import Reducing

/// Tells how the daemon is.
public enum StatusMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Status"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What is answered.
    public struct Output: Message {
        /// The version of the daemon.
        public var version: String
        /// `normal`, `inspect` or `ephemeral`; may grow.
        public var mode: String
        /// The epoch of the sequence.
        public var epoch: UInt64
        /// The last durable record.
        public var sequence: UInt64
        /// When it was ready, in microseconds since 1970.
        public var started: Int64
        /// Open connections.
        public var clients: Int
        /// Open subscriptions.
        public var subscribers: Int
        /// What the log uses of `mapBytes`.
        public var logBytes: UInt64
        /// How much of that came since the start.
        public var logGrowthBytes: UInt64
        /// What the log may use.
        public var mapBytes: UInt64
        /// What the disk has left.
        public var freeBytes: UInt64
        /// Whether dispatches are refused until there is room.
        public var storageFull: Bool
        /// The newest snapshot.
        public var snapshot: SnapshotMessage?
        /// The open commands.
        public var outbox: OutboxMessage
        /// The record after which a compacted log begins.
        public var base: UInt64?
        /// The archive with the last records up to there.
        public var archive: String?
        /// How often the texts of a record were taken out.
        public var redactions: UInt64?
        /// The features of whose actions it tells; `nil` of a daemon that does not say.
        public var debugged: [String]?

        /// Makes one.
        public init(
            version: String, mode: String = "normal", epoch: UInt64, sequence: UInt64, started: Int64, clients: Int,
            subscribers: Int, logBytes: UInt64, logGrowthBytes: UInt64, mapBytes: UInt64, freeBytes: UInt64,
            storageFull: Bool = false, snapshot: SnapshotMessage? = nil, outbox: OutboxMessage, base: UInt64? = nil,
            archive: String? = nil, redactions: UInt64? = nil, debugged: [String]? = nil
        ) {
            self.version = version
            self.mode = mode
            self.epoch = epoch
            self.sequence = sequence
            self.started = started
            self.clients = clients
            self.subscribers = subscribers
            self.logBytes = logBytes
            self.logGrowthBytes = logGrowthBytes
            self.mapBytes = mapBytes
            self.freeBytes = freeBytes
            self.storageFull = storageFull
            self.snapshot = snapshot
            self.outbox = outbox
            self.base = base
            self.archive = archive
            self.redactions = redactions
            self.debugged = debugged
        }

        /// The fields in order.
        public static let fieldNames = [
            "version", "mode", "epoch", "sequence", "started", "clients", "subscribers", "logBytes", "logGrowthBytes",
            "mapBytes", "freeBytes", "storageFull", "snapshot", "outbox", "base", "archive", "redactions", "debugged",
        ]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            version = try fields.text("version")
            mode = try fields.text("mode")
            epoch = try fields.integer("epoch")
            sequence = try fields.integer("sequence")
            started = try fields.integer("started")
            clients = try fields.integer("clients")
            subscribers = try fields.integer("subscribers")
            logBytes = try fields.integer("logBytes")
            logGrowthBytes = try fields.integer("logGrowthBytes")
            mapBytes = try fields.integer("mapBytes")
            freeBytes = try fields.integer("freeBytes")
            storageFull = try fields.flag("storageFull")
            snapshot = try fields.optionalMessage("snapshot")
            outbox = try fields.message("outbox")
            base = try fields.optionalInteger("base")
            archive = try fields.optionalText("archive")
            redactions = try fields.optionalInteger("redactions")
            debugged = fields.value("debugged") == nil ? nil : try fields.texts("debugged")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("version", version)
            writer.field("mode", mode)
            writer.field("epoch", epoch)
            writer.field("sequence", sequence)
            writer.field("started", started)
            writer.field("clients", clients)
            writer.field("subscribers", subscribers)
            writer.field("logBytes", logBytes)
            writer.field("logGrowthBytes", logGrowthBytes)
            writer.field("mapBytes", mapBytes)
            writer.field("freeBytes", freeBytes)
            writer.field("storageFull", storageFull)
            writer.field("snapshot", snapshot)
            writer.field("outbox", outbox)
            writer.field("base", base)
            writer.field("archive", archive)
            writer.field("redactions", redactions)
            if let debugged { writer.field("debugged", debugged.map { .text($0) }) }
        }
    }
}
