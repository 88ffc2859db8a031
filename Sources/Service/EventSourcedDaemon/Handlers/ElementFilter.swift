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
    /// Steps after which a page ends.
    private static let stepsPerPage = 4 * stepsPerLook
    private var condition: ElementCondition
    // What is being asked, page by page.
    private var page = 0..<0
    // The places of the page whose elements passed the sieve, and the first of them that is still to be asked.
    private var sifted: [Int] = []
    private var next = 0
    // The element for which the answer is not yet known.
    private var asked: Int?
    private let sequence: UInt64
    private let stepsMax: Int
    private var stepsSeen = 0

    init(_ condition: Expression, of list: ListView, at sequence: UInt64, stepsMax: Int) {
        self.condition = condition.condition(onElementsOf: list)
        (self.sequence, self.stepsMax) = (sequence, stepsMax)
    }

    /// Looks for the first element that is wanted; `nil`: there is none.
    ///
    /// - Parameter memory: makes the next look quicker.
    /// - Throws: `tooManySteps` when the condition has taken more than its steps for all elements so far.
    mutating func next(in places: Range<Int>, _ memory: ListMemory) throws(StoreError) -> Next? {
        var place = places.lowerBound
        while place < places.upperBound {
            if !page.contains(place) { sift(place..<min(place + Limits.pageRecordsMax, places.upperBound), memory) }
            while next < sifted.count, sifted[next] < place { next += 1 }
            place = next < sifted.count ? sifted[next] : page.upperBound
            let holds = next < sifted.count ? ask(place) : false
            guard condition.steps < stepsMax else { throw .tooManySteps(reached: sequence) }
            if holds == true { return .found(place) }
            if holds == false, next < sifted.count { place += 1 }
            if isLongSinceLook(), place < places.upperBound { return .pause(place) }
        }
        return nil
    }

    // Goes on to a page, as far as that takes a bounded time.
    private mutating func sift(_ places: Range<Int>, _ memory: ListMemory) {
        (sifted, next) = ([], 0)
        page = places.prefix(condition.sift(places, &sifted, stepsMax: Self.stepsPerPage, memory: memory))
    }

    // Asks what no sieve tells.
    private mutating func ask(_ place: Int) -> Bool? {
        if asked != place { condition.begin(at: place) }
        let holds = condition.advance(steps: Self.stepsPerLook)
        asked = holds == nil ? place : nil
        return holds
    }

    private mutating func isLongSinceLook() -> Bool {
        guard condition.steps - stepsSeen >= Self.stepsPerLook else { return false }
        stepsSeen = condition.steps
        return true
    }
}
