public import Reducing

/// Which row an action is about: its id, or the place at which whoever dispatches it saw it.
public struct RowTarget: Sendable {
    /// The id; 0 where there is an index.
    public var id: UInt64
    /// The index; `nil` where there is an id.
    public var index: Int?

    public init(id: UInt64 = 0, index: Int? = nil) {
        self.id = id
        self.index = index
    }

    /// Its fields, which are those of the action.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "id", &id)
        try visitor.field(2, "index", &index)
        // Both at once are as wrong as neither, and become that.
        if id != 0, index != nil { self = RowTarget() }
    }

    /// Neither an id nor an index.
    public var fault: ValueMismatch? {
        id == 0 && index == nil ? ValueMismatch("id", "an id is expected, or an index and no id") : nil
    }
}
