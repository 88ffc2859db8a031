/// Something that had happened out there already when its step was taken back.
public struct EffectMessage: Message {
    /// What did it.
    public var command: CommandMessage
    /// Whether it came to its end; if not, it may or may not have happened.
    public var certain: Bool

    /// Makes one.
    public init(command: CommandMessage, certain: Bool) {
        self.command = command
        self.certain = certain
    }

    /// The fields in order.
    public static let fieldNames = ["command", "certain"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        command = try fields.message("command")
        certain = try fields.flag("certain")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("command", command)
        writer.field("certain", certain)
    }
}
