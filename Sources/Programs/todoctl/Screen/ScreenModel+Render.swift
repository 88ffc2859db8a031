import Chronicle
import Dates
import Terminal

extension ScreenModel {
    func render() -> Canvas {
        let regions = ScreenRegions(size)
        var canvas = Canvas(size)
        renderHeading(into: &canvas, regions.heading)
        if isHelpShown {
            renderHelp(into: &canvas, regions)
        } else {
            renderTabs(into: &canvas, regions)
            renderBody(into: &canvas, regions)
        }
        if let rule = regions.stripRule, !isHelpShown {
            canvas.rule(rule, [StyledText("time", frame)], role: frame, corners: ("└", "┴", "┘"), at: regions.divider)
        }
        if let strip = regions.strip, !isHelpShown { renderStrip(into: &canvas, strip) }
        if let rule = regions.lineRule { canvas.rule(rule, isTyping ? typingNotice ?? [] : [], role: frame) }
        renderLine(into: &canvas, regions.line)
        if let keys = regions.keys { renderKeys(into: &canvas, keys) }
        return canvas
    }

    /// The frame's colour distinguishes the past from the present.
    var frame: TextRole { time.isLive ? .frame : .past }

    private func renderHeading(into canvas: inout Canvas, _ region: ScreenRegion) {
        let states = states
        let columns = states.reduce(0) { $0 + Width.columns($1.text) }
        let left = ScreenRegion(
            column: region.column, row: region.row, width: max(0, region.width - columns), height: region.height)
        var spans = [StyledText(" " + program, .bold), StyledText("  \(moment.day.brief(on: moment.day))  ", .dim)]
        if tabs.contains(where: \.isTodos) {
            let rows = shownRows
            spans.append(StyledText("  \(Digits.grouped(rows.openCount)) open"))
            if rows.overdueCount > 0 { spans.append(StyledText("  \(Digits.grouped(rows.overdueCount)) overdue", .overdue)) }
        }
        let waiting = waiting
        if waiting.alerts > 0 { spans.append(StyledText("  ! \(Digits.counted(waiting.alerts, "alert"))", .warning)) }
        if waiting.questions > 0 { spans.append(StyledText("  ? \(Digits.counted(waiting.questions, "question"))", .warning)) }
        canvas.put(spans, left, line: 0)
        canvas.put(right: states, region, line: 0)
    }

    private var states: [StyledText] {
        let moment = StyledText(" \(momentTitle) ", time.isLive ? .live : .past)
        switch presence {
        case .connecting: return [StyledText(" connecting … ", .dim)]
        case .away: return [StyledText(" ○ the daemon is away ", .failure)] + (time.isLive ? [] : [moment])
        case .connected where silence != nil:
            return [StyledText(" ○ the daemon does not answer ", .failure)] + (time.isLive ? [] : [moment])
        case .connected: return [moment]
        }
    }

    func tabPlaces(_ region: ScreenRegion) -> [Range<Int>] {
        var column = region.column + 1
        return tabs.map { tab in
            let columns = Width.columns(tab.title) + 2
            defer { column += columns }
            return column..<column + columns
        }
    }

    private func renderTabs(into canvas: inout Canvas, _ regions: ScreenRegions) {
        let region = regions.tabs
        canvas.rule(region, role: frame, corners: ("┌", "┬", "┐"), at: regions.divider)
        guard !region.isEmpty else { return }
        let places = tabPlaces(region)
        let shift = tabs.indices.contains(tab) ? max(0, places[tab].upperBound - region.width) : 0
        for (index, tab) in tabs.enumerated() where places[index].lowerBound - shift >= region.column {
            let place = ScreenRegion(
                column: places[index].lowerBound - shift, row: region.row,
                width: min(places[index].count, region.end.column - places[index].lowerBound + shift), height: 1)
            canvas.put(
                [StyledText(" \(tab.title) ", index == self.tab ? .bold : .dim)], place, line: 0, isSelected: index == self.tab)
        }
        guard let pane = regions.pane else { return }
        let last = (places.last?.upperBound ?? 0) - shift
        let space = ScreenRegion(
            column: max(pane.column, last + 1), row: region.row, width: pane.end.column - max(pane.column, last + 1), height: 1)
        if isListShown, space.width > 8 {
            let sorted = rows.sort == .list ? "in the order of the list" : "by \(rows.sort.rawValue)"
            canvas.put(right: [StyledText(" \(sorted) ", .dim)], space, line: 0)
        }
    }

    private func renderBody(into canvas: inout Canvas, _ regions: ScreenRegions) {
        if let pane = regions.pane, !pane.isEmpty {
            for column in [0, pane.column - 2, pane.end.column + 1] where column >= 0 && column < size.columns {
                for line in 0..<pane.height {
                    canvas.put(
                        [StyledText("│", frame)], ScreenRegion(column: column, row: pane.row, width: 1, height: pane.height),
                        line: line)
                }
            }
            if form != nil {
                renderForm(into: &canvas, pane)
            } else if !renderMoment(into: &canvas, pane) {
                if isListShown { renderPane(into: &canvas, pane) } else { renderElement(into: &canvas, pane) }
            }
        } else if form != nil {
            return renderForm(into: &canvas, regions.list)
        }
        if isListShown { renderList(into: &canvas, regions.list) } else { renderFeature(into: &canvas, regions.list) }
    }

    private func renderFeature(into canvas: inout Canvas, _ region: ScreenRegion) {
        guard let tab = shownTab else {
            canvas.put([StyledText(" Waiting for the daemon …", .dim)], region, line: 0)
            return
        }
        let rows = featureRows(tab)
        for line in 0..<region.height where rows.indices.contains(tab.offset + line) {
            let row = rows[tab.offset + line]
            let isFlashing = !row.name.isEmpty && tab.flashes[row.name].map { $0 > now } == true
            let spans = isFlashing ? row.spans.map { StyledText($0.text, .flash) } : row.spans
            canvas.put(spans, region, line: line, isSelected: row.isSelectable && tab.offset + line == tab.selected)
        }
    }

    private func renderElement(into canvas: inout Canvas, _ region: ScreenRegion) {
        guard let tab = shownTab else { return }
        let rows = featureRows(tab)
        guard rows.indices.contains(tab.selected) else { return }
        let row = rows[tab.selected]
        var lines: [[StyledText]] = []
        if case .command = row.subject {
            for span in row.spans {
                lines += Self.wrapped(span.text, to: max(region.width, 1)).map { [StyledText($0, span.role)] }
            }
        }
        let element: Value? = if case .element(let element) = row.subject { element } else { nil }
        for field in element?.record ?? [] {
            lines.append([StyledText(Visible.text(field.name), .dim)])
            let value = FeatureRow.text(field.value, of: tab.name + "." + field.name)
            for part in Self.wrapped(value, to: max(region.width - 2, 1)) {
                lines.append([StyledText("  " + part)])
            }
        }
        for (index, spans) in lines.prefix(region.height).enumerated() { canvas.put(spans, region, line: index) }
    }

    private func renderHelp(into canvas: inout Canvas, _ regions: ScreenRegions) {
        canvas.rule(regions.tabs, [StyledText("keys", .bold)], role: frame)
        let bottom = (regions.lineRule ?? regions.line).row
        let region = ScreenRegion(
            column: 1, row: regions.tabs.end.row, width: max(size.columns - 2, 0), height: max(0, bottom - regions.tabs.end.row))
        let lines = helpLines
        for line in 0..<region.height where lines.indices.contains(helpOffset + line) {
            canvas.put(lines[helpOffset + line], region, line: line)
        }
    }

    private func renderKeys(into canvas: inout Canvas, _ region: ScreenRegion) {
        // Without a rule above the prompt, the message replaces the footer during input.
        if isTyping, !isHelpShown, ScreenRegions(size).lineRule == nil, let typingNotice {
            return canvas.put(typingNotice, region, line: 0)
        }
        var keys: [(String, String)] = []
        if isHelpShown {
            keys = [("↑ ↓", "scroll"), ("any other key", "close")]
        } else if form != nil {
            keys = [("Enter", "save"), ("↑ ↓", "field"), ("Esc", "leave")]
        } else if let prompt {
            keys =
                prompt.purpose == .filter
                ? [("Enter", "keep"), ("↑ ↓", "move"), ("Esc", "no filter")] : [("Enter", "take"), ("Esc", "leave")]
        } else if let asking = time.keys(at: lastRecord, isConnected: presence == .connected) {
            keys = asking
        } else {
            let (ofTab, isPast) = (shownTab.map { self.keys(of: $0) } ?? [], time.wanted != nil)
            let all = isPast ? Self.timeKeys + ofTab : ofTab + Self.timeKeys
            keys = KeyHelp.line(all + Self.commonKeys, isPast: isPast, columns: region.width)
        }
        canvas.put(keys.flatMap(KeyHelp.spans), region, line: 0)
    }

    private var isTyping: Bool { prompt != nil || formMistake != nil }

    private var notice: [StyledText]? {
        if let message {
            let role: TextRole = message.kind == .failure ? .failure : message.kind == .done ? .good : .plain
            let hint = message.kind == .done && !isTyping ? [StyledText("  u takes it back", .dim)] : []
            return [StyledText(message.text, role)] + hint
        }
        if case .away(let sentence, _) = presence { return [StyledText(sentence, .failure)] }
        return silence.map { [StyledText($0, .failure)] }
    }

    /// The text above the prompt: the last message, or a mistake that is too long for the prompt's hint.
    private var typingNotice: [StyledText]? {
        // An empty prompt shows an example instead.
        let isEmpty = prompt.map { $0.purpose == .add && $0.entry.isEmpty } ?? false
        guard !isEmpty, let mistake = promptMistake,
            Width.columns(mistake) + "Enter: ".count > ScreenRegions(size).line.width / 2
        else { return notice }
        return notice ?? [StyledText(Visible.text(mistake), .dim)]
    }

    private func renderLine(into canvas: inout Canvas, _ region: ScreenRegion) {
        if let prompt { return renderPrompt(prompt, into: &canvas, region) }
        if let mistake = formMistake {
            canvas.put([StyledText(" \(mistake.field.label): ", .bold), StyledText(mistake.message, .failure)], region, line: 0)
        } else if let notice {
            canvas.put([StyledText(" ")] + notice, region, line: 0)
        } else if !list.marked.isEmpty, isListShown {
            let marked = Digits.counted(list.marked.count, "todo") + (list.marked.count == 1 ? " is" : " are")
            canvas.put([StyledText(" \(marked) marked: keys are for all of them. Esc ends that.", .marked)], region, line: 0)
        } else if !list.filter.isEmpty, isListShown {
            canvas.put([StyledText(" /" + list.filter, .tag), StyledText("  \(found)  Esc shows all", .dim)], region, line: 0)
        }
    }

    private var found: String {
        if let mistake = question?.mistake { return mistake }
        return question?.tag != nil ? "…" : "\(Digits.counted(shownRows.todoCount, "todo"))"
    }

    private func renderPrompt(_ prompt: Prompt, into canvas: inout Canvas, _ region: ScreenRegion) {
        let label: String =
            switch prompt.purpose {
            case .add: "add> "
            case .filter: "filter> "
            case .field(let field, let ids): field.label + (ids.count > 1 ? " of \(ids.count)> " : "> ")
            case .answer(let flow): "answer \(flow)> "
            case .action(let pending): "\(pending.name): \(pending.question)> "
            case .time(_, let label): label + "> "
            }
        let isOfFilter = prompt.purpose == .filter
        let mistake = promptMistake
        var hint = ""
        if isOfFilter {
            hint = prompt.entry.isEmpty ? "words, #tag, due<friday, is:overdue, @view" : found
        } else if let mistake {
            hint = mistake.isEmpty ? "" : "Enter: " + mistake
        } else {
            hint = promptReading.map { "Enter: " + $0 } ?? "Enter"
        }
        if prompt.purpose == .add, prompt.entry.isEmpty { hint = "such as: Call the bank friday 14:30 #work !high" }
        let hintText = Width.cut(Visible.text(hint), to: region.width / 2)
        let labelColumns = Width.columns(label) + 1
        let hintColumns = hintText.isEmpty ? 0 : Width.columns(hintText) + 3
        let space = max(1, region.width - labelColumns - hintColumns)
        let shown = prompt.entry.shown(in: space)
        canvas.put([StyledText(" " + label, .bold)], region, line: 0)
        let place = ScreenRegion(
            column: region.column + labelColumns, row: region.row, width: min(space, max(region.width - labelColumns, 0)),
            height: 1)
        canvas.put(entry: shown, place)
        guard !hintText.isEmpty else { return }
        canvas.put(
            right: [StyledText(hintText + " ", mistake == nil || isOfFilter && question?.mistake == nil ? .good : .dim)], region,
            line: 0)
    }
}

extension Canvas {
    mutating func put(entry: (text: String, cursor: Int), _ region: ScreenRegion) {
        guard !region.isEmpty else { return }
        put(Width.cut(entry.text, to: region.width), at: region.column, row: region.row, width: region.width, .of(.plain))
        cursor = Position(column: region.column + min(entry.cursor, region.width - 1), row: region.row)
    }
}
