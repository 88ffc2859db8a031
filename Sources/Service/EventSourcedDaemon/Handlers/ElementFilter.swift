import Expressions
import Reducing
import StoreRuntime

/// A condition that is asked of the elements of a list, one after the other.
struct ElementFilter {
    /// Where it has come to.
    enum Next {
        /// The element at this place is wanted.
        case found(Int)
        /// Others may want to go on, before it does here.
        case pause(Int)
    }

    /// Steps of the condition after which the clock is read: less would cost more than the condition does.
    private static let stepsPerLook = 1_024
    private var parts: [Part]
    // The element for which the answer is not yet known, and the part of the condition that is being asked.
    private var asked: (place: Int, part: Int)?
    private let sequence: UInt64
    private let stepsMax: Int
    private var stepsSeen = 0

    init(_ condition: Expression, of list: ListView, at sequence: UInt64, stepsMax: Int) {
        parts = condition.conditions(onElementsOf: list).map { Part(condition: $0) }
        (self.sequence, self.stepsMax) = (sequence, stepsMax)
    }

    /// Looks for the first element that is wanted; `nil`: there is none.
    ///
    /// - Throws: `tooManySteps` when the condition has taken more than its steps for all elements so far.
    mutating func next(in places: Range<Int>) throws(StoreError) -> Next? {
        for place in places {
            let holds = ask(place, places)
            guard steps < stepsMax else { throw .tooManySteps(reached: sequence) }
            if holds == true { return .found(place) }
            if isLongSinceLook() { return .pause(holds == nil ? place : place + 1) }
        }
        return nil
    }

    private var steps: Int { parts.reduce(0) { $0 + $1.condition.steps } }

    private mutating func ask(_ place: Int, _ places: Range<Int>) -> Bool? {
        var part = 0
        if let asked, asked.place == place { part = asked.part } else { parts[0].begin(place, places) }
        asked = nil
        while true {
            guard let holds = parts[part].condition.advance(steps: Self.stepsPerLook) else {
                asked = (place, part)
                return nil
            }
            part += 1
            guard holds, part < parts.count else { return holds }
            parts[part].begin(place, places)
        }
    }

    private mutating func isLongSinceLook() -> Bool {
        guard steps - stepsSeen >= Self.stepsPerLook else { return false }
        stepsSeen = steps
        return true
    }
}

/// Some sides of the outermost ands of a condition, with what they read of some elements.
private struct Part {
    var condition: ElementCondition
    private var values: [Value] = []
    private var loaded = 0..<0

    init(condition: ElementCondition) { self.condition = condition }

    /// Goes on to the first of some places; what is read of those behind it is read at once.
    mutating func begin(_ place: Int, _ places: Range<Int>) {
        if !loaded.contains(place) {
            loaded = place..<min(place + Limits.pageRecordsMax, places.upperBound)
            values.removeAll(keepingCapacity: true)
            condition.columns.append(loaded, &values)
        }
        condition.begin(values, at: (place - loaded.lowerBound) * condition.columns.names.count)
    }
}
