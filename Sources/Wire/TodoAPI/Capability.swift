/// What a daemon can do that is not to be seen in the descriptions of its interfaces; `Status` says which of it.
///
/// A method, and a field of one, is seen there and has no place here. What each name means says the interface, beside `capabilities`.
public enum Capability: String, Sendable, CaseIterable {
    case writable
    case durable
    case lastingKeys = "keys.lasting"
    case textConditions = "conditions.contains"
}

extension StatusMethod.Output {
    /// Whether the daemon says that it can do this; an older one says nothing of any.
    public func can(_ capability: Capability) -> Bool { capabilities?.contains(capability.rawValue) ?? false }
}
