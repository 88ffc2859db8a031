public import Reducing

/// Work for the outside world that an action asked for.
public struct CommandMessage: Message {
    /// Its name; none in a dry run.
    public var id: CommandID?
    /// What is to be done: `todos.load`.
    public var name: String
    /// The version of its arguments.
    public var version: UInt32
    /// Whether it is for the client that dispatched.
    public var presentational: Bool
    /// Its arguments, a record.
    public var arguments: Value

    /// Makes one.
    public init(id: CommandID? = nil, name: String, version: UInt32 = 1, presentational: Bool = false, arguments: Value = [:]) {
        self.id = id
        self.name = name
        self.version = version
        self.presentational = presentational
        self.arguments = arguments
    }

    /// The fields in order.
    public static let fieldNames = ["id", "name", "version", "presentational", "arguments"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        id = try fields.optionalMessage("id")
        name = try fields.text("name")
        version = try fields.integer("version")
        presentational = try fields.flag("presentational")
        arguments = try fields.record("arguments")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("id", id)
        writer.field("name", name)
        writer.field("version", version)
        writer.field("presentational", presentational)
        writer.field("arguments", arguments)
    }
}
