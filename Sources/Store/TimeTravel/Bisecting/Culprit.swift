/// The answer to the question without which steps something would not hold.
public struct Culprit: Sendable, Equatable {
    /// What was found.
    public enum Outcome: Sendable, Equatable {
        /// Without these steps it would not hold, and without any fewer of them it would, unless the search was cut off.
        case found([StepSummary])
        /// It does not hold.
        case doesNotHold
        /// It would hold even with none of the steps that were looked at, and, unless the search was cut off, without any one of them alone.
        case notAmongThese
    }

    /// What was found.
    public var outcome: Outcome
    /// How many steps were looked at, the newest.
    public var candidates: Int
    /// Whether no smaller set of other steps does either; `false`: that was not looked for to the end.
    public var isSmallest: Bool
    /// How many histories were tried.
    public var tries: Int
    /// Whether time or tries were used up before all that was to be tried was: fewer steps, of these or others, may do.
    public var isCut = false
}

/// Makes a set smaller as long as the rest has a property: delta debugging.
///
/// What is left has the property, and loses it without any one of its members, unless the tries were used up before.
struct Reduction<Element> {
    private(set) var rest: [Element]
    private(set) var isDone: Bool
    private var pieces = 2
    // Which piece is tried next, alone or, behind the last, all but it.
    private var next = 0

    init(_ elements: [Element]) {
        rest = elements
        isDone = elements.count < 2
    }

    /// What is to be tried next.
    var candidate: [Element] {
        let own = piece(next % pieces)
        return next < pieces ? Array(rest[own]) : Array(rest[..<own.lowerBound] + rest[own.upperBound...])
    }

    /// Takes in whether the candidate has the property.
    mutating func take(_ hasProperty: Bool) {
        if hasProperty {
            let isPiece = next < pieces
            rest = candidate
            pieces = isPiece ? 2 : max(pieces - 1, 2)
            next = 0
            isDone = rest.count < 2
            return
        }
        next += 1
        // Of two pieces each is what is left without the other.
        guard next >= (pieces == 2 ? 2 : 2 * pieces) else { return }
        isDone = pieces >= rest.count
        pieces = min(2 * pieces, rest.count)
        next = 0
    }

    private func piece(_ index: Int) -> Range<Int> { rest.count * index / pieces..<rest.count * (index + 1) / pieces }
}
