/// What a loop over the elements of a list comes to.
public enum LoopKind: Sendable {
    case any, all, count
    /// Of what the body gives, which is a number; what is none is passed over.
    case sum, min, max

    var isOfNumbers: Bool { self == .sum || self == .min || self == .max }

    /// What it comes to where so many of so many elements meet its condition; it must not be one of numbers.
    func result(matches: Int64, of count: Int) -> Operand { answer(matches, of: count).map(Operand.bool) ?? .int(matches) }

    /// What it comes to where there are no elements.
    var resultOfNone: Operand {
        switch self {
        case .any: .bool(false)
        case .all: .bool(true)
        case .count, .sum: .int(0)
        case .min, .max: .null
        }
    }

    /// Whether it comes to something else where so many of so many elements meet its condition than where others do.
    @inlinable
    public func differs(_ old: (matches: Int64, count: Int), _ new: (matches: Int64, count: Int)) -> Bool {
        let answers = (answer(old.matches, of: old.count), answer(new.matches, of: new.count))
        return answers.0 == nil ? old.matches != new.matches : answers.0 != answers.1
    }

    /// `nil`: it gives a number.
    @inlinable
    func answer(_ matches: Int64, of count: Int) -> Bool? {
        switch self {
        case .any: matches > 0
        case .all: matches == count
        case .count, .sum, .min, .max: nil
        }
    }
}
