import Chronicle

/// Scans columns and keeps the elements that meet conditions.
final class Prefilter: ColumnReader {
    fileprivate(set) var scan: Scan
    /// The signature that an element must have for the conditions to hold.
    let needed: Signature
    /// Caches the signatures of elements.
    let memory: ListMemory?

    init(_ scan: Scan, needed: Signature, _ memory: ListMemory?) {
        (self.scan, self.needed, self.memory) = (scan, needed, memory)
    }

    func readNothing(_ column: Int) { scan.columns.set(column, .null) }
    func read(_ column: Int, _ value: Value) { scan.columns.set(column, value) }
    func read(_ column: Int, text: String) { scan.columns.set(column, .text(text)) }
    func read(_ column: Int, texts: [String]) { scan.columns.set(column, texts: texts) }
    func endStage() -> Bool { scan.endStage() }
    func endElement() -> Bool { scan.endElement() }
}

extension Prefilter {
    struct Condition: Sendable {
        var node: Int
        /// The columns that it reads, as a bitmap.
        var columns: UInt64
        /// Whether it holds if all of them are missing; `nil` if that depends on other elements.
        var holdsForNothing: Bool?
    }

    /// The elements read so far, and the result for the current one.
    struct Scan {
        private let stages: [[Condition]]
        fileprivate var columns: ColumnEvaluation
        // The index of the current element.
        private var place: Int
        // The remaining steps; negative if the last operation exceeded them.
        private(set) var left: Int
        private var stage = 0
        private var isKept = false
        /// Number of elements read.
        private(set) var seen = 0
        /// The indices of the kept elements.
        private(set) var kept: [Int] = []
        /// The last of these indices if the steps ran out during that element.
        private(set) var undecided: Int?

        /// - Parameters:
        ///   - place: the index of the first element.
        ///   - stepsMax: maximum number of steps; the scan stops after the element that exceeds it.
        init(_ stages: [[Condition]], _ columns: ColumnEvaluation, from place: Int, stepsMax: Int) {
            (self.stages, self.columns, self.place, left) = (stages, columns, place, stepsMax)
        }

        fileprivate mutating func endStage() -> Bool {
            isKept = true
            for index in stages[stage].indices where isKept {
                if stages[stage][index].columns & ~columns.missing == 0, let holds = stages[stage][index].holdsForNothing {
                    left -= 1
                    isKept = holds
                } else {
                    isKept = columns.evaluation.isTrue(stages[stage][index].node, left: &left)
                }
            }
            stage += 1
            return isKept && left > 0
        }

        fileprivate mutating func endElement() -> Bool {
            left -= 1
            if left < 0 {
                // The next scan rereads it with all of its steps. The first element has had all steps already.
                guard seen == 0 else { return false }
                (undecided, isKept) = (place, true)
            }
            if isKept { kept.append(place) }
            (place, seen, stage, isKept, columns.missing) = (place + 1, seen + 1, 0, false, 0)
            return left > 0
        }
    }
}

/// An evaluation whose places are in the columns of a list.
struct ColumnEvaluation: Sendable {
    /// By column, the place that it is.
    let places: [Int?]
    /// Places within columns.
    let parts: [(column: Int, place: Int, steps: ArraySlice<Path.Step>)]
    var evaluation: Evaluation<NoState>
    /// The columns that are missing, as a bitmap.
    var missing: UInt64 = 0

    mutating func set(_ column: Int, _ value: Value) {
        if value.isNull { missing |= 1 << UInt64(column) }
        if let place = places.span[column] { evaluation.set(.found(.value(value)), at: place) }
        if parts.isEmpty { return }
        for part in parts where part.column == column {
            evaluation.set(.found(.value(part.steps.reduce(value) { $0.part($1) ?? .null })), at: part.place)
        }
    }

    mutating func set(_ column: Int, texts: [String]) {
        if !parts.isEmpty { set(column, .list(texts.map(Value.text))) }
        if let place = places.span[column] { evaluation.set(.texts(texts), at: place) }
    }
}
