/// What a value may be, as an interface describes it.
public indirect enum InterfaceType: Sendable, Equatable {
    case bool
    case int
    case float
    case string
    /// Any JSON object.
    case object
    /// A type that the interface names.
    case named(String)
    case structure([InterfaceDescription.Field])
    case enumeration([String])
    /// Left out, null, or the type.
    case optional(InterfaceType)
    case array(InterfaceType)
    /// An object with any names, all values of one type.
    case map(InterfaceType)
}
