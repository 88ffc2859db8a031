import Chronicle

/// The diff between a pinned moment and the shown one.
struct PinnedDifference {
    static let changesMax = 2_000

    let pinned: UInt64
    let moment: UInt64
    private(set) var changes: [Change] = []
    private(set) var marks: [Int64: TodoMark] = [:]
    private(set) var count = 0
    private(set) var isKnown = false

    init(pinned: UInt64, moment: UInt64) { (self.pinned, self.moment) = (pinned, moment) }

    mutating func take(_ more: [Change], isLast: Bool) {
        count += more.count
        if changes.count < Self.changesMax { changes += more }
        for change in more where change.path == "todos.items" {
            guard let id = change.id else { continue }
            switch change.kind {
            case .insert: marks[id] = marks[id] == .removed ? .changed : .added
            case .remove: marks[id] = .removed
            case .replace, .move: if marks[id] == nil { marks[id] = .changed }
            case .set: break
            }
        }
        isKnown = isLast
    }

    func lines(width: Int) -> PaneLines {
        var pane = PaneLines(width: width)
        pane.append("From @\(pinned) to @\(moment)", .bold)
        guard isKnown else {
            pane.append("…", .dim)
            return pane
        }
        let told = ChangeSummary(changes: changes, paint: .none).lines
        pane.append(sentences: told.isEmpty ? ["No difference."] : told)
        if count > changes.count { pane.append("and \(Digits.counted(count - changes.count, "more change"))", .dim) }
        return pane
    }
}
