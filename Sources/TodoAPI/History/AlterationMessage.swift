public import Reducing

/// One difference of an altered history from the log; exactly one of `skip`, `edit`, `insert` and `move` is set.
public struct AlterationMessage: Message {
    /// The first record that is left out.
    public var skip: UInt64?
    /// The last one that is left out; only with `skip`, which it is if left out.
    public var through: UInt64?
    /// The record that brings `action` instead.
    public var edit: UInt64?
    /// The record behind which `action` comes; 0 is before everything.
    public var insert: UInt64?
    /// The record that comes behind `after`.
    public var move: UInt64?
    /// Where `move` goes; 0 is before everything.
    public var after: UInt64?
    /// An action as dispatched, for `edit` and `insert`.
    public var action: Value?

    /// Makes one.
    public init(
        skip: UInt64? = nil, through: UInt64? = nil, edit: UInt64? = nil, insert: UInt64? = nil, move: UInt64? = nil,
        after: UInt64? = nil, action: Value? = nil
    ) {
        self.skip = skip
        self.through = through
        self.edit = edit
        self.insert = insert
        self.move = move
        self.after = after
        self.action = action
    }

    /// The fields in order.
    public static let fieldNames = ["skip", "through", "edit", "insert", "move", "after", "action"]

    /// Reads the fields.
    public init(_ fields: FieldReader) throws(APIError) {
        skip = try fields.optionalInteger("skip")
        through = try fields.optionalInteger("through")
        edit = try fields.optionalInteger("edit")
        insert = try fields.optionalInteger("insert")
        move = try fields.optionalInteger("move")
        after = try fields.optionalInteger("after")
        action = try fields.optionalRecord("action")
    }

    /// Writes the fields.
    public func write(fields writer: inout ObjectWriter) {
        writer.field("skip", skip)
        writer.field("through", through)
        writer.field("edit", edit)
        writer.field("insert", insert)
        writer.field("move", move)
        writer.field("after", after)
        writer.field("action", action)
    }
}
