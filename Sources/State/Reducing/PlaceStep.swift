/// One way down to a place in a state.
public enum PlaceStep: Sendable, Equatable {
    /// The field of this name.
    case name(String)
    /// The element of this id.
    case id(UInt64)
}
