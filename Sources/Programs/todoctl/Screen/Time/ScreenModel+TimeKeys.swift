import Dates
import Reducing
import Terminal
import TodoAPI
import Varlink

extension ScreenModel {
    /// What the keys of this part are, for `?` and for the line of keys.
    static var timeKeys: [KeyHelp] {
        [
            KeyHelp("← →", "a step back in time, or on", short: "time"),
            KeyHelp("Shift-← →, [ ]", "a day"),
            KeyHelp(", .", "a record"),
            KeyHelp("< >", "to where what is selected changed before, or next"),
            KeyHelp("g", "to a moment in words: yesterday 9:00, 10 minutes ago, 65, a bookmark"),
            KeyHelp("Space", "play from here, and wait; + and - change the speed"),
            KeyHelp("Esc", "back to now"),
            KeyHelp("i", "the selection in place of the record; ( ) scroll"),
            KeyHelp("d", "pin a second handle: what differs between the two"),
            KeyHelp("m", "give the moment a name, a bookmark"),
            KeyHelp("w", "what would be now without this record; Enter leads there", short: "what if"),
            KeyHelp("u, U, Ctrl-R", "undo; redo: what would change comes first", short: "undo"),
            KeyHelp("b", "who set the values of what is selected", short: "blame"),
            KeyHelp("r", "in the past: go back to how everything was, after a preview"),
        ]
    }

    /// What is asked for with a line that is typed.
    private static let momentPrompt = 1
    private static let bookmarkPrompt = 2

    /// The moment that the handle is at.
    var handle: UInt64 { time.wanted ?? lastRecord }

    /// Where the log ends, as far as it was told.
    var lastRecord: UInt64 { max(head?.sequence ?? 0, time.tail?.sequence ?? 0) }

    /// The first moment that can be asked for.
    var firstMoment: UInt64 { min(time.activity?.first ?? 0, lastRecord) }

    /// Takes a key that nothing is typed with; `nil`: it is none of this part's.
    mutating func pressTime(_ key: ScreenKey) -> [ScreenRequest]? {
        if time.proposal != nil { return pressProposal(key) }
        if time.blame != nil { return pressBlame(key) }
        if case .mouse(let mouse) = key { return press(strip: mouse) }
        if let requests = pressMove(key) { return requests }
        switch key {
        case .character("g"): prompt = Prompt(.time(Self.momentPrompt, label: "go to"))
        case .character("m"): prompt = Prompt(.time(Self.bookmarkPrompt, label: "name of @\(handle)"))
        case .character("i") where !time.isLive:
            time.isSelectionShown.toggle()
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
            let requests = closeWhatIf()
            if requests == nil { goLive() }
            return requests ?? []
        default: return nil
        }
        return []
    }

    // MARK: Moving

    private mutating func pressMove(_ key: ScreenKey) -> [ScreenRequest]? {
        let before = time.play
        if time.play != nil { time.play = nil }
        switch key {
        case .arrow(.left, let modifiers) where modifiers.isEmpty: return goStep(isNext: false)
        case .arrow(.right, let modifiers) where modifiers.isEmpty: return goStep(isNext: true)
        case .arrow(.left, _), .character("["): return goDay(isNext: false)
        case .arrow(.right, _), .character("]"): return goDay(isNext: true)
        case .character(","): go(to: handle > firstMoment ? handle - 1 : firstMoment)
        case .character("."): go(to: handle + 1)
        case .character("<"): return goChange(isNext: false)
        case .character(">"): return goChange(isNext: true)
        case .character(" "):
            // The second time it waits.
            if before == nil { play() }
        case .character("+") where !time.isLive: change(speed: 2, before)
        case .character("-") where !time.isLive: change(speed: 0.5, before)
        default:
            // Other keys let it play on.
            time.play = before
            return nil
        }
        return []
    }

    /// Shows a moment; the last one is the present.
    mutating func go(to moment: UInt64) {
        guard moment < lastRecord else { return goLive() }
        // The todos of the present are a moment's, too, from which it is not far.
        if time.wanted == nil, areTodosComplete, let todosAt { time.past.begin(todos, at: todosAt) }
        if time.whatIf != nil { time.past.todos.touchAll() }
        (time.whatIf, time.seek) = (nil, nil)
        if time.wanted != moment { time.offset = 0 }
        time.wanted = max(moment, firstMoment)
    }

    /// Shows the present.
    mutating func goLive() {
        (time.wanted, time.shown, time.play, time.whatIf, time.seek) = (nil, nil, nil, nil, nil)
        (time.record, time.why, time.views) = (nil, nil, [:])
        (time.round, time.roundMoment, time.offset, time.isSelectionShown) = ([], nil, 0, false)
        time.past = PastState()
        if time.pinned == nil { time.difference = nil }
    }

    mutating func goStep(isNext: Bool) -> [ScreenRequest] {
        let answer =
            isNext ? time.window.next(handle, last: lastRecord) : time.window.previous(handle, base: firstMoment)
        switch answer {
        case .moment(let moment): go(to: moment)
        case .read(let range):
            return seek(
                .step(isNext: isNext), .init(from: Point(sequence: range.lowerBound), to: Point(sequence: range.upperBound)))
        }
        return []
    }

    private mutating func goDay(isNext: Bool) -> [ScreenRequest] {
        if isNext {
            guard handle < lastRecord else { return [] }
            return seek(.endOfItsDay, .init(from: Point(sequence: handle + 1), limit: 1))
        }
        guard let moment = handleTime.map({ surroundings.zone.moment(at: $0 / 1_000_000) }) else { return [] }
        let begin = surroundings.zone.instant(moment.day, 0) * 1_000_000
        return seek(.record, .init(to: Point(time: begin - 1), limit: 1, reverse: true))
    }

    private mutating func goChange(isNext: Bool) -> [ScreenRequest] {
        guard let path = selectedPath else {
            message = ScreenMessage(text: "Nothing is selected.", kind: .note)
            return []
        }
        guard isNext ? handle < lastRecord : handle > firstMoment + 1 else { return [] }
        let (from, to) = isNext ? (handle + 1, nil) : (nil, handle - 1)
        return seek(
            .record,
            .init(
                from: from.map { Point(sequence: $0) }, to: to.map { Point(sequence: $0) }, limit: 1,
                reverse: isNext ? nil : true, path: path))
    }

    /// Looks for a record; another search is forgotten.
    mutating func seek(_ seek: Seek, _ input: LogMethod.Input) -> [ScreenRequest] {
        guard presence == .there else { return [] }
        time.seek = seek
        return [.call(RequestTag(.time, TimeCall.seek), ScreenCall(LogMethod.self, input, over: .own, more: true))]
    }

    /// The place of what is selected: an element of a list, or a field.
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

    /// When the record was at which the handle is, in microseconds since 1970.
    var handleTime: Int64? {
        guard let wanted = time.wanted else { return time.tail?.record?.time ?? head?.time }
        return time.record?.sequence == wanted ? time.record?.record?.time : nil
    }

    // MARK: Playing

    private mutating func play() {
        if time.wanted == nil { go(to: firstMoment) }
        time.play = TimePart.Play(speed: 2, due: now)
    }

    private mutating func change(speed factor: Double, _ before: TimePart.Play?) {
        guard let before else { return }
        let speed = min(max(before.speed * factor, Playback.speedMin), 65_536)
        time.play = TimePart.Play(speed: speed, due: now)
    }

    /// Plays on, if it is time and what is wanted is shown.
    mutating func playOn() {
        guard let play = time.play, play.due <= now, let wanted = time.wanted, time.shown == wanted else { return }
        // More often than so nobody sees it.
        let pause = max(1_000_000 / play.speed, 40_000)
        let records = max(1, UInt64(play.speed * pause / 1_000_000))
        time.play?.due = now + Int64(pause)
        go(to: wanted + records)
    }

    // MARK: The mouse

    private mutating func press(strip mouse: MouseEvent) -> [ScreenRequest]? {
        guard let region = ScreenRegions(size).strip else { return nil }
        let isInside = region.contains(column: mouse.position.column, row: mouse.position.row)
        switch mouse.kind {
        case .press(.left): time.isDragging = isInside
        case .drag(.left): break
        case .release:
            time.isDragging = false
            return []
        default: return nil
        }
        guard time.isDragging else { return nil }
        time.play = nil
        let strip = strip(width: region.width)
        go(to: strip.sequence(at: mouse.position.column - region.column))
        return []
    }

    /// The strip as wide as that.
    func strip(width: Int) -> TimeStrip { TimeStrip(time.activity, last: lastRecord, width: width) }

    // MARK: Words

    /// Takes a line that was typed after `prompt = .time(purpose, TextEntry())`.
    mutating func typedTime(_ purpose: Int, _ text: String) -> [ScreenRequest] {
        guard presence == .there else { return [] }
        guard purpose == Self.momentPrompt else {
            let input = SetBookmarkMethod.Input(bookmark: text, at: Point(sequence: handle))
            return [.call(RequestTag(.time, TimeCall.setBookmark), ScreenCall(SetBookmarkMethod.self, input, over: .quick))]
        }
        do throws(Failure) {
            let point = try moment(in: text)
            if point == .now || point.back == 0 {
                goLive()
            } else if point == .start {
                go(to: firstMoment)
            } else if let sequence = point.sequence, sequence <= lastRecord {
                go(to: sequence)
            } else {
                return seek(.record, .init(to: point, limit: 1, reverse: true))
            }
        } catch { message = ScreenMessage(text: Self.sentence(error), kind: .failure) }
        return []
    }

    /// The moment that words name.
    func moment(in text: String) throws(Failure) -> Point {
        let parser = PointParser(now: now / 1_000_000, zone: surroundings.zone, weekBegin: surroundings.weekBegin)
        do { return try parser.point(text, edge: .moment).point } catch { throw Failure(error) }
    }

    /// What is understood of a moment that is being typed, where that is a time.
    func reading(ofTime purpose: Int, _ text: String) -> String? {
        guard purpose == Self.momentPrompt else { return nil }
        do throws(Failure) {
            guard let time = try moment(in: text).time else { return nil }
            return surroundings.zone.moment(at: time / 1_000_000).long
        } catch { return Self.sentence(error) }
    }

    // MARK: What is asked for

    private mutating func pin() {
        if time.pinned == handle || time.pinned != nil && time.isLive {
            (time.pinned, time.difference) = (nil, nil)
        } else {
            (time.pinned, time.difference) = (handle, nil)
            message = ScreenMessage(
                text: "Pinned @\(handle): what differs from it is marked, wherever you go; d ends that.", kind: .note)
        }
    }

    private mutating func askWhatIf() -> [ScreenRequest] {
        let record = handle
        guard presence == .there, time.whatIf == nil, record > firstMoment else { return closeWhatIf() ?? [] }
        time.play = nil
        time.offset = 0
        let known = time.wanted == nil ? time.tail : time.record
        let sentence = known?.sequence == record ? recordPane(known)?.sentence ?? "" : ""
        var todos = todos
        todos.touchAll()
        time.whatIf = WhatIfPane(record: record, sentence: sentence, todos)
        let input = WhatIfMethod.Input(alterations: [AlterationMessage(skip: record)])
        return [.call(RequestTag(.time, TimeCall.whatIf), ScreenCall(WhatIfMethod.self, input, over: .own, more: true))]
    }

    /// Closes what would be; `nil` if that is not shown.
    private mutating func closeWhatIf() -> [ScreenRequest]? {
        guard time.whatIf != nil else { return nil }
        time.whatIf = nil
        time.offset = 0
        // The rows are those of the past again.
        time.past.todos.touchAll()
        return [.forget(RequestTag(.time, TimeCall.whatIf))]
    }

    private mutating func propose(_ kind: ProposedStep.Kind) -> [ScreenRequest] {
        if let refusal, kind == .undo || kind == .redo {
            message = ScreenMessage(text: refusal, kind: .note)
            return []
        }
        guard presence == .there else {
            message = ScreenMessage(text: "The daemon is away.", kind: .failure)
            return []
        }
        time.play = nil
        time.offset = 0
        let proposal = ProposedStep(kind)
        time.proposal = proposal
        return [.call(RequestTag(.time, TimeCall.proposal), proposal.call())]
    }

    private mutating func pressProposal(_ key: ScreenKey) -> [ScreenRequest] {
        guard var proposal = time.proposal else { return [] }
        switch key {
        case .escape, .character("q"), .character("n"):
            // What is being done already is told when it is done.
            if proposal.key == nil { time.proposal = nil }
        case .enter, .character("y"):
            guard proposal.canBeMade, proposal.key == nil, presence == .there else { return [] }
            proposal.key = nextKey()
            time.proposal = proposal
            return [.call(RequestTag(.time, TimeCall.carrying), proposal.call())]
        case .character("F") where proposal.canBeForced:
            proposal = ProposedStep(proposal.kind)
            proposal.isForced = true
            time.proposal = proposal
            return [.call(RequestTag(.time, TimeCall.proposal), proposal.call())]
        case .down, .character("j"), .character(")"): time.offset += 1
        case .up, .character("k"), .character("("): time.offset = max(0, time.offset - 1)
        default: break
        }
        return []
    }

    private mutating func blame() {
        guard let path = selectedPath else {
            message = ScreenMessage(text: "Nothing is selected.", kind: .note)
            return
        }
        show(blame: BlamePane(path: path, at: time.wanted))
    }

    private mutating func show(blame: BlamePane) {
        time.offset = 0
        time.asked.remove(TimeCall.blame)
        time.blame = blame
    }

    private mutating func pressBlame(_ key: ScreenKey) -> [ScreenRequest] {
        guard let pane = time.blame else { return [] }
        switch key {
        case .escape, .character("q"), .character("b"):
            time.blame = nil
            time.offset = 0
            return [.forget(RequestTag(.time, TimeCall.blame))]
        case .up, .character("k"): time.blame?.move(-1)
        case .down, .character("j"): time.blame?.move(1)
        case .pageUp: time.blame?.move(-10)
        case .pageDown: time.blame?.move(10)
        case .character("h"):
            guard let line = pane.selectedLine, !pane.isHistory else { return [] }
            show(blame: BlamePane(path: line.path, at: pane.at, isHistory: true))
        case .enter, .character("t"):
            guard let line = pane.selectedLine else { return [] }
            time.blame = nil
            go(to: line.record)
        default: break
        }
        return []
    }
}
