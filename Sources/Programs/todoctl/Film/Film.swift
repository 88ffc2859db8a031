import Reducing
import TodoAPI

/// Plays the states of a range on a terminal: each record with what it changed, and the state after it.
struct Film {
    let session: Session
    let scope: String?
    var reel: FilmReel

    /// Plays until somebody has seen enough.
    mutating func play(on screen: borrowing Screen) throws(Failure) {
        var shown: Int64?
        var due = Clock.uptime()
        while !reel.isOver {
            let (height, columns) = screen.size
            if shown != reel.current || reel.isPaused {
                screen.show(try lines(atMost: height - 2), below: reel.bar(columns: columns))
                if shown != reel.current { due = Clock.uptime() + (reel.pause ?? 0) }
                shown = reel.current
            }
            let keys = screen.keys(within: reel.pause.map { _ in max(0, due - Clock.uptime()) })
            for key in keys { reel.press(key) }
            if !keys.isEmpty {
                screen.show(try lines(atMost: height - 2), below: reel.bar(columns: columns))
                due = Clock.uptime() + (reel.pause ?? 0)
            }
            if reel.pause != nil, Clock.uptime() >= due { reel.advance() }
        }
    }

    /// The record with its changes, then the state.
    private func lines(atMost count: Int) throws(Failure) -> [String] {
        var lines: [String] = []
        if reel.current > 0 {
            if let (record, detail) = try session.record(UInt64(reel.current), changes: true) {
                let all = RecordLines(zone: session.zone).lines(record, detail)
                // The state is what a film is about, so it keeps most of the room.
                let most = max(1, count / 3)
                lines = all.count > most ? Array(all.prefix(most - 1)) + ["    …"] : all
            }
        } else {
            lines = ["before the first record"]
        }
        return lines + [""] + (try state(atMost: count - lines.count - 1))
    }

    private func state(atMost count: Int) throws(Failure) -> [String] {
        var state: Value?
        var elements = 0
        let input = GetStateMethod.Input(scope: scope, at: Point(sequence: UInt64(clamping: reel.current)))
        try session.client.stream(GetStateMethod.self, input) { answer throws(Failure) in
            let page = try answer.output().state
            if state == nil { state = page } else { state?.append(page: page) }
            // Lists come in the order in which they are shown, an element a line, so the rest would not fit the screen.
            elements += page.elementCount
            return elements > count ? .enough : .more
        }
        let lines = Outline.lines(state ?? .null)
        return lines.count > count ? Array(lines.prefix(max(0, count - 1))) + ["…"] : lines
    }
}
