import Terminal

extension ScreenModel {
    static let commonKeys: [KeyHelp] = [
        KeyHelp("Tab, Shift-Tab, 1 to 9", "the next tab, the previous one, or by number"),
        KeyHelp("?", "all keys", short: "all keys", past: "all keys", rank: 0),
        KeyHelp("q, Ctrl-C", "quit", short: "quit", past: "quit", rank: 0),
        KeyHelp("Ctrl-Z", "stop; fg continues"),
        KeyHelp("Ctrl-L", "redraw"),
    ]

    static let typingKeys: [KeyHelp] = [
        KeyHelp("Enter", "accept the input"),
        KeyHelp("Esc", "discard the input"),
        KeyHelp(
            "Ctrl-A, Ctrl-E, Ctrl-W, Ctrl-U, Ctrl-K",
            "to the start, to the end; delete a word, to the start, to the end"),
    ]

    /// The only dispatch of keys: the topmost view gets the key.
    mutating func press(_ key: ScreenKey) -> [ScreenRequest] {
        switch key {
        case .control("c"): return [.end]
        case .control("z"): return [.suspend]
        case .control("l"): return [.redraw]
        case .mouse(let mouse) where !time.isAsking: return press(mouse)
        default: break
        }
        if isHelpShown { return pressHelp(key) }
        if form != nil { return pressForm(key) }
        if prompt != nil { return pressPrompt(key) }
        message = nil
        if let requests = pressTime(key) { return requests }
        if time.isAsking { return [] }
        if let requests = pressCommon(key) { return requests }
        return isListShown ? pressList(key) : pressTab(key)
    }

    private mutating func pressCommon(_ key: ScreenKey) -> [ScreenRequest]? {
        switch key {
        case .character("q"): return [.end]
        case .character("?"):
            isHelpShown = true
            helpOffset = 0
        case .tab: return show(tab: tabs.isEmpty ? 0 : (tab + 1) % tabs.count)
        case .backTab: return show(tab: tabs.isEmpty ? 0 : (tab + tabs.count - 1) % tabs.count)
        case .character(let character) where ("1"..."9").contains(character):
            guard let number = character.wholeNumberValue, number <= tabs.count else { return [] }
            return show(tab: number - 1)
        default: return nil
        }
        return []
    }

    private mutating func pressHelp(_ key: ScreenKey) -> [ScreenRequest] {
        let page = max(size.rows - 4, 1)
        switch key {
        case .up, .character("k"): helpOffset -= 1
        case .down, .character("j"): helpOffset += 1
        case .pageUp: helpOffset -= page
        case .pageDown, .character(" "): helpOffset += page
        case .home: helpOffset = 0
        default: isHelpShown = false
        }
        helpOffset = max(0, min(helpOffset, max(0, helpLines.count - page)))
        return []
    }

    var helpLines: [[StyledText]] {
        var groups: [(String, [KeyHelp])] = []
        if tabs.contains(where: \.isTodos) { groups.append(("TODOS", Self.listKeys)) }
        if let tab = shownTab, !tab.isTodos { groups.insert((tab.title.uppercased(), keys(of: tab)), at: 0) }
        groups += [("TIME", Self.timeKeys), ("EVERYWHERE", Self.commonKeys), ("WHILE TYPING", Self.typingKeys)]
        groups += tabs.filter { !$0.isTodos && $0.name != shownTab?.name }.map { ($0.title.uppercased(), keys(of: $0)) }
        let width = max(size.columns - 2, 1)
        let longest = groups.flatMap(\.1).reduce(0) { max($0, Width.columns($1.key)) }
        let columns = min(longest + 2, max(width / 3, 4))
        return groups.flatMap { title, keys in
            [[StyledText(title, .heading)]] + keys.flatMap { $0.lines(keyColumns: columns, width: width) }
        }
    }

    private mutating func press(_ mouse: MouseEvent) -> [ScreenRequest] {
        let regions = ScreenRegions(size)
        guard form == nil, prompt == nil, !isHelpShown else { return [] }
        switch mouse.kind {
        case .wheelUp: scroll(-3)
        case .wheelDown: scroll(3)
        case .press(.left):
            if regions.tabs.contains(column: mouse.position.column, row: mouse.position.row) {
                guard let place = tabPlaces(regions.tabs).firstIndex(where: { $0.contains(mouse.position.column) }) else {
                    return []
                }
                return show(tab: place)
            }
            if regions.list.contains(column: mouse.position.column, row: mouse.position.row) {
                click(mouse.position.row - regions.list.row)
                return []
            }
            return pressTime(.mouse(mouse)) ?? []
        case .drag(.left), .release: return pressTime(.mouse(mouse)) ?? []
        default: break
        }
        return []
    }

    private mutating func click(_ line: Int) {
        if isListShown {
            guard case .todo(let id)? = shownRows[list.offset + line] else { return }
            list.selected = id
        } else if tabs.indices.contains(tab) {
            let rows = featureRows(tabs[tab])
            let place = tabs[tab].offset + line
            if rows.indices.contains(place), rows[place].isSelectable { tabs[tab].selected = place }
        }
    }

    private mutating func scroll(_ lines: Int) {
        if isListShown { select(line: list.line + lines, lines < 0 ? -1 : 1) } else { moveRow(lines) }
    }

    /// Why nothing can be changed now; `nil` if changes are possible.
    var refusal: String? {
        if time.whatIf != nil { return "A what-if history can't be changed: Esc closes it." }
        return time.isLive ? nil : "This is the past, where nothing is changed: Esc for now, r to go back to here."
    }
}

struct KeyHelp: Equatable {
    var key: String
    var does: String
    /// The word in the footer; `nil` for keys that only the help shows.
    var short: String?
    /// The footer's word while the past is shown.
    var past: String?
    /// Priority in a narrow footer: lower ranks stay longer, and 0 is always shown.
    var rank: Int

    init(_ key: String, _ does: String, short: String? = nil, past: String? = nil, rank: Int = 2) {
        (self.key, self.does, self.short, self.past, self.rank) = (key, does, short, past, rank)
    }
}

extension KeyHelp {
    func lines(keyColumns: Int, width: Int) -> [[StyledText]] {
        let keys = ScreenModel.wrapped(key, to: keyColumns - 2)
        let words = ScreenModel.wrapped(does, to: max(width - keyColumns - 2, 1))
        return (0..<max(keys.count, words.count)).map { line in
            let key = line < keys.count ? keys[line] : ""
            return [
                StyledText("  " + Width.padded(key, to: keyColumns), .bold), StyledText(line < words.count ? words[line] : ""),
            ]
        }
    }

    static func line(_ all: [KeyHelp], isPast: Bool, columns: Int) -> [(String, String)] {
        let words = all.compactMap { help in
            (isPast ? help.past : help.short).map { word in
                (rank: help.rank, key: help.key.split(separator: ",").first.map(String.init) ?? help.key, word: word)
            }
        }
        var space = columns
        var shown: Set<Int> = []
        for (index, one) in words.enumerated().sorted(by: { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }) {
            let needed = spans(one.key, one.word).reduce(0) { $0 + Width.columns($1.text) }
            guard needed <= space || one.rank == 0 else { continue }
            space -= needed
            shown.insert(index)
        }
        return words.indices.filter(shown.contains).map { (words[$0].key, words[$0].word) }
    }

    static func spans(_ key: String, _ word: String) -> [StyledText] {
        [StyledText(" " + key, .bold), StyledText(" \(word) ", .dim)]
    }
}
