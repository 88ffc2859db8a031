import Reducing

/// How many elements meet the conditions of an expression's loops in one state, to go on from in the next.
///
/// What is not known is counted when it is asked for.
public struct Tallies: Sendable {
    let loops: [CountableLoop]
    // Of each loop; `nil`: it is not known.
    private var matches: [Int64?]

    init(_ code: Bytecode, _ range: Range<Int>) {
        loops = code.countableLoops(in: range)
        matches = Array(repeating: nil, count: loops.count)
    }

    /// Whether there is anything to keep up to date.
    public var isEmpty: Bool { matches.allSatisfy { $0 == nil } }

    /// How many elements meet the condition of each loop, in their order; `nil`: it is not known.
    public var known: [Int64?] { matches }

    func counts(at begin: Int) -> Bool { index(of: begin) != nil }

    func matches(at begin: Int) -> Int64? { index(of: begin).flatMap { matches[$0] } }

    mutating func set(_ count: Int64?, at begin: Int) {
        if let index = index(of: begin) { matches[index] = count }
    }

    mutating func add(_ count: Int64, at begin: Int) { set(matches(at: begin).map { $0 + count }, at: begin) }

    mutating func set(_ counts: ArraySlice<Int64?>) {
        for (index, count) in zip(matches.indices, counts) { matches[index] = count }
    }

    private func index(of begin: Int) -> Int? { loops.firstIndex { $0.begin == begin } }

    /// Some elements of which it is not known yet how many meet a condition.
    struct Adjustment: Sendable {
        var loop: CountableLoop
        var elements: [Value]
        /// 1 for what came, -1 for what left.
        var sign: Int64
    }

    /// What has to be counted to go on to the state that some changes lead to; `nil` are more than are worth it.
    mutating func adjustments(by changes: [Change]?) -> [Adjustment] {
        guard let changes else {
            for index in matches.indices { matches[index] = nil }
            return []
        }
        var adjustments: [Adjustment] = []
        for (index, loop) in loops.enumerated() where matches[index] != nil {
            let touches = { (path: Path) in changes.contains { $0.place.mayOverlap(path) } }
            if loop.read.contains(where: touches) {
                matches[index] = nil
                continue
            }
            let own = changes.filter { $0.place.mayOverlap(loop.list) }
            // A list that was set as a whole, or stands further down, is counted anew.
            guard own.allSatisfy({ $0.kind != .set && $0.place.names.count == loop.list.names.count }) else {
                matches[index] = nil
                continue
            }
            let (left, came) = (own.compactMap(\.leaving), own.compactMap(\.coming))
            if !left.isEmpty { adjustments.append(Adjustment(loop: loop, elements: left, sign: -1)) }
            if !came.isEmpty { adjustments.append(Adjustment(loop: loop, elements: came, sign: 1)) }
        }
        return adjustments
    }
}

extension Change {
    /// The list, or the field that was set.
    fileprivate var place: Path {
        var steps = path.split(separator: ".").map { Path.Step.name(String($0)) }
        if kind == .set, case .record(let fields)? = new ?? old, let field = fields.first { steps.append(.name(field.name)) }
        return Path(steps)
    }

    fileprivate var leaving: Value? { kind == .remove || kind == .replace ? old : nil }
    fileprivate var coming: Value? { kind == .insert || kind == .replace ? new : nil }
}
