/// What differs between two states, looked for once.
public struct StateDifference: Sendable, Equatable {
    /// An element of a list that came, left or has other contents.
    public struct Element: Sendable, Equatable {
        /// The index of the list among the scopes.
        public var list: Int
        public var id: UInt64
        /// The fields in which it is another, or that it has where it came or left: bit i stands for the i-th that is named.
        public var parts: UInt64

        public init(list: Int, id: UInt64, parts: UInt64) {
            self.list = list
            self.id = id
            self.parts = parts
        }
    }

    /// What the newer state has, in bytes that are the same in all versions which change the same; empty for nothing.
    public var bytes: [UInt8] = []
    /// The scopes that differ.
    public var scopes: ScopeSet = []
    /// Elements with ids that differ, but for those that only stand elsewhere.
    public var elements: [Element] = []
    /// How many scopes were looked at.
    public var scopeCount = 0

    public init() {}

    /// Whether nothing differs.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Adds what differs of a child, whose scopes stand behind those that were looked at.
    public mutating func add(_ child: StateDifference) {
        scopes.formUnion(child.scopes.shifted(by: scopeCount))
        for element in child.elements {
            elements.append(Element(list: element.list + scopeCount, id: element.id, parts: element.parts))
        }
        scopeCount += child.scopeCount
    }
}
