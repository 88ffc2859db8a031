/// Fields that `Apart` can store: all of them have their initial values in most rows.
public protocol StoredApart: ReadInPlace, Equatable {
    /// Makes it with all of its fields as they begin.
    init()
}

/// Fields that most rows don't have, stored apart from them: a row without them keeps room for one reference.
public struct Apart<Content: StoredApart>: Sendable, Equatable {
    // None or one.
    @usableFromInline var stored: [Content] = []

    /// Keeps nothing apart.
    @inlinable
    public init() {}

    /// Keeps what is not as it begins.
    @inlinable
    public init(_ content: Content) { if content != Content() { stored = [content] } }

    /// What is there; `nil` in most rows.
    @inlinable public var content: Content? { stored.first }

    /// What is there, or its fields as they begin; stored anew only when it differs.
    @inlinable public var value: Content {
        get { stored.first ?? Content() }
        set { if newValue != value { self = Apart(newValue) } }
    }

    /// Shows the content to a visitor.
    ///
    /// A visitor that changes nothing gets a copy, unless the content is read in place: an assignment must not reach shared content.
    @inlinable
    public mutating func visit<Visitor: FieldVisitor>(
        _ visitor: inout Visitor, _ body: (inout Content, inout Visitor) throws(Visitor.Failure) -> Void
    ) throws(Visitor.Failure) {
        if Visitor.changesFields || stored.isEmpty || !Content.isReadInPlace {
            var content = value
            try body(&content, &visitor)
            if Visitor.changesFields { value = content }
            return
        }
        try stored.withUnsafeBufferPointer { (contents) throws(Visitor.Failure) in
            guard let content = contents.baseAddress else { return }
            // Neither the visitor nor, as the content promises, the body assigns anything.
            try body(&UnsafeMutablePointer(mutating: content).pointee, &visitor)
        }
    }
}
