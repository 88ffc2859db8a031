/// A value that read-only visitors may visit in place, without a copy, if it says so.
public protocol ReadInPlace: Sendable {
    /// Whether `visit` assigns nothing where `Visitor.changesFields` is `false`; `false` by default.
    ///
    /// Return `true` only if `visit` does nothing but pass stored properties on: an assignment would write into shared memory. With `false`
    /// a read-only visitor gets a copy, which retains everything that the value refers to and takes half of the time of a long scan.
    static var isReadInPlace: Bool { get }
}

extension ReadInPlace {
    @inlinable public static var isReadInPlace: Bool { false }
}

/// Fields that `OutOfLine` can store: in most rows, all of them have their initial values.
public protocol StoredOutOfLine: ReadInPlace, Equatable {
    init()
}

/// Fields that most rows don't have, stored out of line: a row without them only has room for one reference.
public struct OutOfLine<Content: StoredOutOfLine>: Sendable, Equatable {
    // At most one element.
    @usableFromInline var stored: [Content] = []

    @inlinable public init() {}

    /// Stores the content, unless all of it is initial.
    @inlinable public init(_ content: Content) { if content != Content() { stored = [content] } }

    /// The content; `nil` if all of it is initial.
    @inlinable public var content: Content? { stored.first }

    /// The content; stored again only if it differs.
    @inlinable public var value: Content {
        get { stored.first ?? Content() }
        set { if newValue != value { self = OutOfLine(newValue) } }
    }

    /// Passes the content to a visitor; one that changes nothing gets a copy, unless the content is read in place.
    @inlinable public mutating func visit<Visitor: FieldVisitor>(
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
