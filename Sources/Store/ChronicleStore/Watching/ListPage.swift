public import Chronicle

/// A page of list elements of a state: limited by count and by `Limits.statePageBytesMax`, but at least one element.
public struct ListPage: Sendable {
    public private(set) var elements: [Value] = []
    private let elementsMax: Int
    private var bytes = 0

    public init(elementsMax: Int) { self.elementsMax = elementsMax }

    /// Whether the page accepts no further element of any size.
    public var isFull: Bool { elements.count >= elementsMax }

    /// Adds an element if it fits; returns whether it did.
    public mutating func take(_ element: Value) -> Bool {
        let sum = bytes + element.approximateBytes
        guard !isFull, elements.isEmpty || sum <= Limits.statePageBytesMax else { return false }
        elements.append(element)
        bytes = sum
        return true
    }
}
