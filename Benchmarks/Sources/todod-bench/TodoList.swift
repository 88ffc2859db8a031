/// Fills a daemon with todos and with history.
///
/// Ids are handed out in order from 1, so one connection knows them without asking.
struct TodoList: Sendable {
    /// Which todos are removed as others are added.
    enum Removal: Sendable {
        /// Those that are there for longest, so that after a while none of the first is left.
        case oldest
        /// Those that were added last, so that the first stay.
        case newest
    }

    private(set) var oldest = 1
    private(set) var next = 1
    private let removal: Removal
    // Those that `add` has added.
    private var added = 0

    init(removing removal: Removal = .oldest) { self.removal = removal }

    /// Adds todos on top, 500 a dispatch.
    ///
    /// - Parameter tags: each is given one of them, in turn.
    mutating func add(_ count: Int, tags: [String] = [], to socket: String) throws(BenchmarkError) {
        var left = count
        added += count
        while left > 0 {
            var texts = ActionTexts()
            var calls = 0
            while left > 0, calls < 100 {
                let some = min(left, 500)
                let titles = (next..<next + some).map { (title: "Buy the milk, bottle \($0)", number: $0) }
                texts.append(
                    tags.isEmpty
                        ? ActionTexts.add(titles.map(\.title))
                        : ActionTexts.add(tagged: titles.map { ($0.title, tags[$0.number % tags.count]) }))
                next += some
                left -= some
                calls += 1
            }
            _ = try Load(pipelined: 4, calls: calls).run(texts, on: socket, latenciesMax: 0)
            if count > 100_000, (count - left) % 200_000 == 0 { Progress.say("  \(count - left) todos") }
        }
    }

    /// Dispatches that many actions, as many of each kind, and leaves as many todos live as before.
    ///
    /// So many at once, each dispatch with its own key: add, edit, complete, reopen, move, remove.
    mutating func live(_ actions: Int, batch: Int = 1, on socket: String) throws(BenchmarkError) {
        var done = 0
        while done < actions {
            var texts = ActionTexts()
            let start = done
            var calls = 0
            while done < actions, done - start < 60_000 {
                let count = min(batch, actions - done)
                texts.append((done..<done + count).map { action($0) })
                done += count
                calls += 1
            }
            _ = try Load(pipelined: 48, calls: calls).run(texts, on: socket, latenciesMax: 0)
            if actions > 100_000, done / 500_000 != start / 500_000 { Progress.say("  \(done) actions") }
        }
    }

    private mutating func action(_ index: Int) -> String {
        let count = removal == .oldest ? next - oldest : added
        // A walk over all live ids in steps that share no factor with any round number.
        let id = oldest + (index / 6 * 617) % count
        switch index % 6 {
        case 0:
            next += 1
            return ActionTexts.add(["Buy the milk, bottle \(next - 1)"])
        case 1: return ActionTexts.edit(id, title: "Buy \(index) bottles of milk")
        case 2: return ActionTexts.complete(id)
        case 3: return ActionTexts.reopen(id)
        case 4: return ActionTexts.move(id, to: index % count)
        default:
            guard removal == .oldest else { return ActionTexts.remove(next - 1) }
            oldest += 1
            return ActionTexts.remove(oldest - 1)
        }
    }
}
