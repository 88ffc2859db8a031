/// One connection to the daemon, and what it costs.
public struct ClientMessage: Message {
    /// The user, as the kernel says.
    public var uid: UInt64
    /// The process that connected.
    public var pid: Int64
    /// Calls that it has made.
    public var calls: UInt64
    /// Bytes that it has not read yet.
    public var waitingBytes: UInt64
    /// Its calls that are being answered by a task: streams, and what takes long.
    public var streams: UInt64

    /// Makes one.
    public init(uid: UInt64, pid: Int64, calls: UInt64, waitingBytes: UInt64, streams: UInt64) {
        self.uid = uid
        self.pid = pid
        self.calls = calls
        self.waitingBytes = waitingBytes
        self.streams = streams
    }

    /// The fields in order.
    public static let fieldNames = ["uid", "pid", "calls", "waitingBytes", "streams"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        uid = try fields.integer("uid")
        pid = try fields.integer("pid")
        calls = try fields.integer("calls")
        waitingBytes = try fields.integer("waitingBytes")
        streams = try fields.integer("streams")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("uid", uid)
        writer.field("pid", pid)
        writer.field("calls", calls)
        writer.field("waitingBytes", waitingBytes)
        writer.field("streams", streams)
    }
}
