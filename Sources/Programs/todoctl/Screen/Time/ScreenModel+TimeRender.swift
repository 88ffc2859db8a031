import Chronicle
import Dates
import Terminal
import TodoAPI

extension ScreenModel {
    var momentTitle: String {
        if let whatIf = time.whatIf { return "WHAT IF without @\(whatIf.record)" }
        guard let wanted = time.wanted else { return "● LIVE" }
        // Until a moment is loaded, the previous one stays visible.
        let shown = time.shown ?? time.past.moment ?? wanted
        guard shown > firstMoment else { return "PAST before everything" }
        return "PAST @\(shown)" + (instant(of: shown).map { " " + told($0) } ?? "")
    }

    /// The time of the shown todos in microseconds since 1970; decides which are overdue.
    var shownTime: Int64 {
        guard time.wanted != nil, time.whatIf == nil, let record = time.record?.record else { return now }
        return record.time
    }

    var shownMoment: Moment { context.zone.moment(at: shownTime / 1_000_000) }

    /// `Sat 09:12` within a week, else with the date.
    private func told(_ time: Int64) -> String {
        let (moment, today) = (context.zone.moment(at: time / 1_000_000), self.moment.day)
        let clock = Due.clock(moment.second / 60)
        switch today.number - moment.day.number {
        case 0: return clock
        case 1...6: return String(moment.day.abbreviated.prefix(3)) + " " + clock
        default: return moment.day.brief(on: today) + " " + clock
        }
    }

    func recordPane(_ known: TimeState.KnownRecord?) -> RecordPane? {
        guard let known else { return nil }
        let id = known.record?.action.map(RecordLines.payload)?["id"]?.int
        let titles = id.flatMap { id in (shownTodos[id] ?? todos[id]).map { [id: $0.title] } } ?? [:]
        return RecordPane(
            record: known.record, changes: known.changes,
            why: time.why.flatMap { $0.sequence == known.sequence ? $0.answer : nil }, titles: titles, zone: context.zone,
            uid: context.uid)
    }

    /// Shows the moment's details instead of the selection's.
    ///
    /// - Returns: whether there are any.
    func renderMoment(into canvas: inout Canvas, _ region: ScreenRegion) -> Bool {
        var pane: PaneLines
        var offset = time.offset
        if let proposal = time.proposal {
            pane = proposal.lines(width: region.width)
        } else if let blame = time.blame {
            let (lines, selected) = blame.shown(
                width: region.width, zone: context.zone, today: moment.day, uid: context.uid)
            pane = lines
            offset = max(0, selected.upperBound - region.height)
        } else if let whatIf = time.whatIf {
            pane = whatIf.lines(width: region.width)
        } else if let difference = time.difference, !time.isSelectionShown, difference.moment == handle {
            pane = difference.lines(width: region.width)
        } else if time.wanted != nil, !time.isSelectionShown {
            // Keeps the previous record until the new one is loaded.
            guard let record = recordPane(time.record) else { return true }
            pane = record.lines(width: region.width)
        } else {
            return false
        }
        offset = min(offset, max(0, pane.lines.count - region.height))
        for (line, spans) in pane.lines.dropFirst(offset).prefix(region.height).enumerated() {
            canvas.put(spans, region, line: line)
        }
        return true
    }

    func renderStrip(into canvas: inout Canvas, _ region: ScreenRegion) {
        let strip = strip(width: region.width)
        let density = self.density(strip)
        guard region.height >= ScreenRegions.stripRows else {
            canvas.put(density, region, line: 0)
            canvas.put(recordLine, region, line: 1)
            return
        }
        canvas.put(strip.calendar(context.zone, today: moment.day), region, line: 0)
        canvas.put(density, region, line: 1)
        canvas.put(marks(strip), region, line: 2)
        canvas.put(recordLine, region, line: 3)
    }

    private func density(_ strip: TimeStrip) -> [StyledText] {
        let blocks = ["▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        let densities = strip.densities
        let (handle, pinned) = (strip.column(of: handle), time.pinned.map { strip.column(of: $0) })
        var isQuiet = Array(repeating: false, count: strip.width)
        for gap in strip.gaps { for column in gap.columns where strip.count(in: column) == 0 { isQuiet[column] = true } }
        var spans: [StyledText] = []
        for column in 0..<strip.width {
            let sign = densities.isEmpty ? "─" : isQuiet[column] ? "┄" : blocks[densities[column]]
            let isBetween = pinned.map { min($0, handle)...max($0, handle) }?.contains(column) == true
            let piece =
                column == handle
                ? StyledText(time.wanted == nil ? "●" : "▲", time.wanted == nil ? .live : .past)
                : column == pinned
                    ? StyledText("◆", .warning)
                    : StyledText(sign, isBetween ? .warning : densities.isEmpty || densities[column] == 0 ? .dim : .plain)
            if spans.last?.role == piece.role, let last = spans.popLast() {
                spans.append(StyledText(last.text + piece.text, piece.role))
            } else {
                spans.append(piece)
            }
        }
        return spans
    }

    /// Handles, bookmarks, gaps, invariants, alerts and steps; earlier ones have priority.
    private func marks(_ strip: TimeStrip) -> [StyledText] {
        var line = StripLine(width: strip.width)
        let handleWords = time.wanted == nil ? " now @\(lastRecord)" : " @\(handle)"
        line.put("↑", handleWords, time.wanted == nil ? .live : .marked, at: strip.column(of: handle))
        if let pinned = time.pinned { line.put("◆", " @\(pinned)", .warning, at: strip.column(of: pinned)) }
        if time.wanted != nil { line.put("●", " @\(Digits.grouped(lastRecord))", .live, at: strip.width - 1) }
        for bookmark in time.bookmarks.sorted(by: { $0.record > $1.record }) where bookmark.sequence >= strip.first {
            line.put("⚑", " " + Visible.text(bookmark.name), .tag, at: strip.column(of: bookmark.sequence))
        }
        for gap in strip.gaps { line.put(TimeStrip.quiet(gap.length), .dim, around: gap.columns) }
        for invariant in time.marks.invariants where invariant.record > strip.first {
            let words = " " + Visible.text(invariant.name) + (invariant.holds ? "" : " does not hold")
            line.put("◇", words, invariant.holds ? .dim : .failure, at: strip.column(of: invariant.record))
        }
        // A few signs are labelled.
        let word = time.marks.alerts.count > 3 ? "" : " alert"
        for alert in time.marks.alerts.reversed() where alert > strip.first {
            line.put("!", word, .warning, at: strip.column(of: alert))
        }
        let steps =
            strip.last - strip.first <= StepWindow.records && strip.last > strip.first
            ? time.window.ends(in: strip.first + 1...strip.last) : []
        if steps.count <= strip.width / 2 { for step in steps { line.put(apart: "·", .dim, at: strip.column(of: step)) } }
        return line.spans
    }

    private var recordLine: [StyledText] {
        var spans: [StyledText] = []
        if let known = time.wanted == nil ? time.tail : time.record, let pane = recordPane(known) {
            spans.append(StyledText(" @\(known.sequence)  ", .bold))
            if let record = known.record {
                spans.append(StyledText(told(record.time), .dim))
                spans.append(StyledText("  \(LogSentences.who(record.origin, context.uid)): "))
            }
            if known.record != nil || time.wanted != nil { spans.append(StyledText(pane.sentence)) }
            if time.wanted != nil, known.sequence != handle { spans.append(StyledText("  → @\(handle) …", .dim)) }
        } else {
            spans.append(StyledText(" @\(handle)  …", .dim))
        }
        if let play = time.play {
            let speed = play.speed >= 1 ? "\(Int(play.speed))" : "1/\(Int(1 / play.speed))"
            spans.append(StyledText("  ▶ \(speed) a second", .warning))
        }
        if time.seek != nil { spans.append(StyledText("  searching …", .dim)) }
        return spans
    }
}
