/// What who looks through lists again and again keeps of them, so that the next look takes less: nothing that can't be found out anew.
///
/// One part of each type.
public final class ListMemory {
    private var parts: [ObjectIdentifier: Any] = [:]

    public init() {}

    /// Takes a part out; `nil` if there is none.
    public func take<Part>(_ type: Part.Type) -> Part? { parts.removeValue(forKey: ObjectIdentifier(type)) as? Part }

    public func put<Part>(_ part: consuming Part) { parts[ObjectIdentifier(Part.self)] = part }
}
