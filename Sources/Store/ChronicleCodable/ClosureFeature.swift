public import Chronicle
import FoundationEssentials

/// A feature whose whole state is one value.
public protocol FeatureOfOneValue: Feature {
    associatedtype Content: Sendable
    static func content(of state: State) -> Content
}

/// A feature that a closure makes: a `Codable` value, and actions that change it.
public enum ClosureFeature<Content: Codable & Sendable & Equatable, Input: Codable & Sendable & Equatable>: FeatureOfOneValue {
    /// The value as JSON, with the closure that changes it.
    public struct State: FieldCoding {
        var content: Content?
        let change: (@Sendable (inout Content, Input) throws(Refusal) -> Void)?

        /// A state without a value, which describes the type.
        public init() { (content, change) = (nil, nil) }

        init(_ content: Content, _ change: @escaping @Sendable (inout Content, Input) throws(Refusal) -> Void) {
            (self.content, self.change) = (content, change)
        }

        /// Always throws: no bytes hold the closure, so there is no snapshot to read.
        public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            throw CanonicalError(.unknownField(1), at: cursor.offset)
        }

        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            content = try ClosureFeature.visit(content, "value", by: &visitor)
        }

        public static func == (left: State, right: State) -> Bool { left.content == right.content }
    }

    public struct Action: CaseCoding {
        var input: Input?

        init(_ input: Input?) { self.input = input }

        public static func defaultInstance(_ number: UInt32) -> Action? { number == 1 ? Action(nil) : nil }

        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Action {
            visitor.choose(1, "change")
            return Action(try ClosureFeature.visit(input, "input", by: &visitor))
        }

        public var fault: ValueMismatch? { input == nil ? ValueMismatch("input", "JSON of \(Input.self) is expected") : nil }
    }

    public static func content(of state: State) -> Content {
        guard let content = state.content else { preconditionFailure("the state of a store has a value") }
        return content
    }

    /// Refuses what the closure refuses, and with `NotEncodable` an action that its JSON does not give back, such as an infinite number.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        guard var content = state.content, let input = action.input else { return [] }
        guard let read = try? Action(canonical: action.canonicalBytes), read.input == input else {
            throw Refusal(
                "NotEncodable", of: "", "the action can't be stored as JSON; use a value that encodes and decodes to itself")
        }
        try state.change?(&content, input)
        return [action]
    }

    /// Calls the closure; an action that it accepted once and refuses now changes nothing.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        guard var content = state.content, let input = action.input else { return [] }
        if (try? state.change?(&content, input)) != nil { state.content = content }
        return []
    }

    public static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : ScopeSet(index: 0) }

    private static func visit<Part: Codable, Visitor: FieldVisitor>(
        _ part: Part?, _ name: String, by visitor: inout Visitor
    ) throws(Visitor.Failure) -> Part? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = part.flatMap { try? encoder.encode($0) }.map { String(decoding: $0, as: UTF8.self) } ?? ""
        var text = json
        try visitor.field(1, name, &text, .shown)
        return text == json ? part : try? JSONDecoder().decode(Part.self, from: Data(text.utf8))
    }
}
