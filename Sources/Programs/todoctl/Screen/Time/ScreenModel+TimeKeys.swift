import Chronicle
import Terminal
import Varlink

extension ScreenModel {
    static var timeKeys: [KeyHelp] {
        [
            KeyHelp("← →", "a step back in time, or on", short: "time", past: "step", rank: 1),
            KeyHelp("[ ], Shift-← →", "a day", past: "day", rank: 1),
            KeyHelp(", .", "a record"),
            KeyHelp("< >", "to the previous or next change of the selection", past: "change", rank: 3),
            KeyHelp("g", "to a moment: yesterday 9:00, 10 minutes ago, 65, a bookmark", past: "go to", rank: 2),
            KeyHelp("Space", "play from here, or pause; + and - change the speed", past: "play", rank: 2),
            KeyHelp("Esc", "back to now", past: "now", rank: 1),
            KeyHelp("r", "in the past: restore this state, after a preview", past: "revert", rank: 1),
            KeyHelp("i", "show the selection instead of the record; ( ) scroll", past: "selection", rank: 3),
            KeyHelp("w", "the present without this record; Enter applies it", short: "what if", past: "what if", rank: 3),
            KeyHelp("u, U, Ctrl-R", "undo; redo, after a preview", short: "undo", rank: 1),
            KeyHelp("b", "the last writers of the selection's values", short: "blame", past: "blame", rank: 3),
            KeyHelp("d", "pin a second handle and compare the two", past: "pin", rank: 3),
            KeyHelp("m", "set a bookmark at the moment", past: "bookmark", rank: 3),
        ]
    }

    mutating func pressTime(_ key: ScreenKey) -> [ScreenRequest]? {
        if time.proposal != nil { return pressProposal(key) }
        if time.blame != nil { return pressBlame(key) }
        if case .mouse(let mouse) = key { return press(strip: mouse) ? [] : nil }
        if pressMove(key) { return [] }
        switch key {
        case .character("g"): askForMoment()
        case .character("m"): askForBookmark()
        case .character("i") where !time.isLive: time.isSelectionShown.toggle()
        case .character(")"): time.offset += 3
        case .character("("): time.offset = max(0, time.offset - 3)
        case .character("d"): pin()
        case .character("w"): return askWhatIf()
        case .character("u"): return propose(.undo)
        case .character("U"), .control("r"): return propose(.redo)
        case .character("b"): blame()
        case .character("r") where time.wanted != nil && time.whatIf == nil: return propose(.revert(handle))
        case .enter where time.whatIf?.isKnown == true: return time.whatIf.map { propose(.leave($0.record)) } ?? []
        case .escape where !time.isLive:
            stopMoving()
            if time.whatIf != nil { return closeWhatIf() }
            goLive()
        default: return nil
        }
        return []
    }

    private mutating func pressMove(_ key: ScreenKey) -> Bool {
        let before = time.play
        // Any move ends the playback.
        time.play = nil
        switch key {
        case .arrow(.left, let modifiers): make(modifiers.isEmpty ? .step(isNext: false) : .day(isNext: false))
        case .arrow(.right, let modifiers): make(modifiers.isEmpty ? .step(isNext: true) : .day(isNext: true))
        case .character("["): make(.day(isNext: false))
        case .character("]"): make(.day(isNext: true))
        case .character(","): make(.record(isNext: false))
        case .character("."): make(.record(isNext: true))
        case .character("<"), .character(">"):
            if let path = selectedPath {
                make(.change(path, isNext: key == .character(">")))
            } else {
                message = ScreenMessage(text: "Nothing is selected.", kind: .note)
            }
        case .character(" "):
            // The second press pauses.
            if before == nil { play() }
        case .character("+") where !time.isLive: change(speed: 2, before)
        case .character("-") where !time.isLive: change(speed: 0.5, before)
        default:
            // Other keys don't stop the playback.
            time.play = before
            return false
        }
        return true
    }

    var selectedPath: String? {
        if isListShown { return list.selected.map { "todos.items[\($0)]" } }
        guard let tab = shownTab, tab.kind == .feature else { return nil }
        let rows = featureRows(tab)
        guard rows.indices.contains(tab.selected) else { return isOneFeature ? nil : tab.name }
        let row = rows[tab.selected]
        guard case .element(let element) = row.subject, let id = element["id"]?.int else {
            return isOneFeature ? (row.name.isEmpty ? nil : row.name) : tab.name
        }
        return (isOneFeature ? "" : tab.name + ".") + "items[\(id)]"
    }
}
