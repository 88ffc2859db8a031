/// One difference between two states, in a form that a person, a client or an undo can use.
public struct Change: Sendable, Equatable {
    /// What kind of difference.
    public enum Kind: String, Sendable {
        /// A field that is no list has another value.
        case set
        /// An element came into a list.
        case insert
        /// An element left a list.
        case remove
        /// An element has other contents in the same place.
        case replace
        /// An element stands in another place.
        case move
    }

    /// Where: the record that holds the field (`todos`), or the list (`todos.items`).
    public var path: String
    /// What kind of difference.
    public var kind: Kind
    /// The element's id; `nil` for `set`.
    public var id: Int64?
    /// The element's index after this change (`insert`, `replace`, `move`), or before it (`remove`).
    public var at: Int?
    /// The index it moved from.
    public var from: Int?
    /// What was: for `set` a record of the one field, else the element.
    public var old: Value?
    /// What is.
    public var new: Value?

    public init(
        path: String, kind: Kind, id: Int64? = nil, at: Int? = nil, from: Int? = nil, old: Value? = nil, new: Value? = nil
    ) {
        self.path = path
        self.kind = kind
        self.id = id
        self.at = at
        self.from = from
        self.old = old
        self.new = new
    }

    /// The same change, seen from one level further up.
    public func under(_ name: String) -> Change {
        var change = self
        change.path = path.isEmpty ? name : name + "." + path
        return change
    }
}
