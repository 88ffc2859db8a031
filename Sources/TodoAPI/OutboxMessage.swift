/// The open commands, by what they wait for.
public struct OutboxMessage: Message {
    /// All of them.
    public var open: UInt64
    /// Those that were started.
    public var started: UInt64
    /// Those that a person must look at.
    public var parked: UInt64
    /// Those held after a new epoch.
    public var held: UInt64

    /// Makes one.
    public init(open: UInt64, started: UInt64 = 0, parked: UInt64 = 0, held: UInt64 = 0) {
        self.open = open
        self.started = started
        self.parked = parked
        self.held = held
    }

    /// The fields in order.
    public static let fieldNames = ["open", "started", "parked", "held"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        open = try fields.integer("open")
        started = try fields.integer("started")
        parked = try fields.integer("parked")
        held = try fields.integer("held")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("open", open)
        writer.field("started", started)
        writer.field("parked", parked)
        writer.field("held", held)
    }
}
