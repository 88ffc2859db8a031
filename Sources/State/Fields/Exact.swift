import Reducing

/// A text, or several, that are equal when their bytes are: `@Exact var title: String`.
///
/// So the equality that Swift makes for a type compares texts as the fold does, and not as Unicode of this release does.
@propertyWrapper
public struct Exact<Wrapped: Field>: Sendable, Equatable {
    public var wrappedValue: Wrapped

    /// Wraps a text.
    @inlinable
    public init(wrappedValue: Wrapped) { self.wrappedValue = wrappedValue }

    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.wrappedValue.isSame(as: right.wrappedValue) }
}
