import Chronicle
import Dates
import Terminal
import TodoAPI

struct ReplayPlayer {
    let session: Session
    let screen: LiveScreen
    let scope: String?
    /// The path for "next change"; every record if `nil`.
    let path: String?
    var playback: Playback
    /// Whether new records extend the range.
    let isOpen: Bool

    private static let pollPause: Int64 = 500_000

    private struct Shown: Equatable {
        var record: Int64
        var bar: String
        var size: Size
    }

    mutating func play() throws(Failure) {
        screen.watch(session.client)
        do throws(Failure) { try playOn() } catch {
            guard screen.isEnded else { throw error }
        }
    }

    private mutating func playOn() throws(Failure) {
        var shown: Shown?
        var due = Clock.uptime()
        while true {
            let size = screen.size
            let now = Shown(record: playback.current, bar: playback.bar(columns: size.columns), size: size)
            if shown != now || screen.isStale {
                show(try lines(atMost: size.rows - 2, columns: size.columns), below: now.bar, size)
                if shown?.record != now.record { due = Clock.uptime() + (playback.pause ?? 0) }
                shown = now
            }
            let isWaiting = isOpen && playback.isAtEnd
            _ = try screen.wait(
                within: playback.pause.map { _ in max(0, due - Clock.uptime()) } ?? (isWaiting ? Self.pollPause : nil))
            let keys = screen.keys().compactMap(PlaybackKey.init)
            for key in keys { try press(key) }
            if !keys.isEmpty { due = Clock.uptime() + (playback.pause ?? 0) }
            if isWaiting { playback.extend(to: Int64(clamping: try session.client.call(PingMethod.self, NoFields()).sequence)) }
            if keys.isEmpty, playback.pause != nil, Clock.uptime() >= due { playback.advance() }
        }
    }

    private func show(_ lines: [String], below bar: String, _ size: Size) {
        let space = max(size.rows - 1, 0)
        let above = lines.prefix(space) + Array(repeating: "", count: max(space - lines.count, 0))
        screen.show((above + [bar]).map { [PaintedText(Width.cut($0, to: size.columns))] })
    }

    private mutating func press(_ key: PlaybackKey) throws(Failure) {
        switch key {
        case .nextChange: if let next = try change(isNext: true) { playback.go(to: next) }
        case .lastChange: if let last = try change(isNext: false) { playback.go(to: last) }
        default: playback.press(key)
        }
    }

    private func change(isNext: Bool) throws(Failure) -> Int64? {
        let (current, range) = (playback.current, playback.range)
        guard isNext ? current < range.upperBound : current > max(range.lowerBound, 1) else { return nil }
        let bounds = isNext ? current + 1...range.upperBound : max(range.lowerBound, 1)...current - 1
        let input = LogMethod.Input(
            from: Point(sequence: UInt64(bounds.lowerBound)), to: Point(sequence: UInt64(bounds.upperBound)), limit: 1,
            reverse: isNext ? nil : true, path: path)
        var found: UInt64?
        try session.client.stream(LogMethod.self, input) { answer throws(Failure) in
            if let record = try answer.output().records.first { found = record.sequence }
            return .more
        }
        return found.map { Int64(clamping: $0) }
    }

    private func lines(atMost count: Int, columns: Int) throws(Failure) -> [String] {
        var lines = ["before the first record"]
        var changes: [Change] = []
        var now = session.now
        if playback.current > 0, let (record, detail) = try session.record(UInt64(playback.current), changes: true) {
            let all = RecordLines(zone: session.zone).lines(record, detail)
            // The state gets at least two thirds of the screen.
            let most = max(1, count / 3)
            lines = all.count > most ? Array(all.prefix(most - 1)) + ["    …"] : all
            (changes, now) = (detail?.changes ?? [], session.moment(record.time))
        }
        let space = count - lines.count - 1
        let state = StateLines(try state(changes, atMost: space), changes, columns: columns, now: now)
        return lines + [""] + state.window(space)
    }

    private func state(_ changes: [Change], atMost count: Int) throws(Failure) -> Value {
        var state: Value?
        var elements = 0
        let wanted = count + (changes.compactMap(\.at).max() ?? 0)
        let input = GetStateMethod.Input(scope: scope, at: Point(sequence: UInt64(clamping: playback.current)))
        try session.client.stream(GetStateMethod.self, input) { answer throws(Failure) in
            let page = try answer.output().state
            if state == nil { state = page } else { state?.append(page: page) }
            // Each element takes one line, so further pages would not fit.
            elements += page.elementCount
            return elements > wanted ? .enough : .more
        }
        return state ?? .null
    }
}

struct StateLines {
    private(set) var lines: [String] = []
    private(set) var changed: Int?
    private let table: TodoTable
    private var rows: Set<String> = []
    private var fields: Set<String> = []

    init(_ state: Value, _ changes: [Change], columns: Int?, now: Moment) {
        table = TodoTable(paint: Paint(isTerminal: false) { _ in nil }, now: now, width: columns.map { max(1, $0 - 4) })
        for change in changes {
            if let id = change.id { rows.insert("\(change.path)[\(id)]") }
            guard change.kind == .set else { continue }
            for field in change.new?.record ?? change.old?.record ?? [] {
                fields.insert(change.path.isEmpty ? field.name : "\(change.path).\(field.name)")
            }
        }
        append(state, name: nil, path: "", depth: 0)
    }

    private mutating func append(_ value: Value, name: String?, path: String, depth: Int) {
        let margin = String(repeating: "  ", count: depth)
        switch value {
        case .record(let inner) where !inner.isEmpty:
            if let name { lines.append("\(margin)\(Visible.text(name)):") }
            for field in inner {
                let place = path.isEmpty ? field.name : "\(path).\(field.name)"
                append(field.value, name: field.name, path: place, depth: name == nil ? depth : depth + 1)
            }
        case .list(let elements) where !elements.isEmpty:
            if let name { lines.append("\(margin)\(Visible.text(name)):") }
            append(list: elements, path: path, margin: margin)
        default:
            let text = name.map { "\(Visible.text($0)): " } ?? ""
            append(margin + text + Tree.compact(value, of: path), isChanged: fields.contains(path))
        }
    }

    private mutating func append(list elements: [Value], path: String, margin: String) {
        let todos = path == "todos.items" ? elements.compactMap(Todo.init) : []
        // Elements that can't be decoded as todos are shown generically.
        let shown = todos.count == elements.count ? table.lines(todos) : elements.map { Tree.compact($0, of: path) }
        for (element, line) in zip(elements, shown) {
            let isChanged = element["id"]?.int.map { rows.contains("\(path)[\($0)]") } ?? false
            append("\(margin)  \(todos.isEmpty ? "- " : "")\(line)", isChanged: isChanged)
        }
    }

    private mutating func append(_ line: String, isChanged: Bool) {
        if isChanged, changed == nil { changed = lines.count }
        lines.append((isChanged ? "> " : "  ") + line)
    }

    /// A number of lines around the first change; omissions are marked.
    func window(_ count: Int) -> [String] {
        guard lines.count > count else { return lines }
        guard count > 2 else { return Array(lines.prefix(max(0, count))) }
        let first = max(0, min((changed ?? 0) - count / 2, lines.count - count))
        var window = Array(lines[first..<first + count])
        if first > 0 { window[0] = "…" }
        if first + count < lines.count { window[count - 1] = "…" }
        return window
    }
}
