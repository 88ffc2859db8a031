/// Checks all that is kept.
public enum VerifyMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Admin.Verify"

    /// Nothing is asked.
    public typealias Input = NoFields

    /// What is answered.
    public struct Output: Message {
        /// The record that is reached.
        public var reached: UInt64
        /// The last record.
        public var last: UInt64
        /// How many snapshots were compared.
        public var snapshots: UInt64?
        /// How many rows of keys were compared.
        public var keys: UInt64?
        /// How many open commands were compared.
        public var commands: UInt64?
        /// How many bookmarks were compared.
        public var bookmarks: UInt64?
        /// What is damaged; not while it is looked for.
        public var damages: [DamageMessage]?

        /// Makes one.
        public init(
            reached: UInt64, last: UInt64, snapshots: UInt64? = nil, keys: UInt64? = nil, commands: UInt64? = nil,
            bookmarks: UInt64? = nil, damages: [DamageMessage]? = nil
        ) {
            self.reached = reached
            self.last = last
            self.snapshots = snapshots
            self.keys = keys
            self.commands = commands
            self.bookmarks = bookmarks
            self.damages = damages
        }

        /// The fields in order.
        public static let fieldNames = ["reached", "last", "snapshots", "keys", "commands", "bookmarks", "damages"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            reached = try fields.integer("reached")
            last = try fields.integer("last")
            snapshots = try fields.optionalInteger("snapshots")
            keys = try fields.optionalInteger("keys")
            commands = try fields.optionalInteger("commands")
            bookmarks = try fields.optionalInteger("bookmarks")
            damages = try fields.optionalMessages("damages")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("reached", reached)
            writer.field("last", last)
            writer.field("snapshots", snapshots)
            writer.field("keys", keys)
            writer.field("commands", commands)
            writer.field("bookmarks", bookmarks)
            writer.field("damages", damages)
        }
    }
}
