import Dates

/// Reads VTODOs (iCalendar, RFC 5545); other components and cancelled todos are skipped.
///
/// DTSTART is the wait date. PRIORITY 1 to 4 is high, 5 medium, 6 to 9 low. A DUE with TZID is converted if the machine knows the
/// zone, and otherwise taken as local time. An RRULE is imported if the todo can express it, and so is an alarm that only
/// displays the title. All other properties, rules and alarms are kept as attributes, except DTSTAMP and LAST-MODIFIED.
enum CalendarReader {
    static func read(_ bytes: [UInt8], at place: FormatPlace) throws(FormatError) -> FormatReading {
        var reading = FormatReading()
        var open: [CalendarLine] = []
        var todo: [CalendarLine] = []
        for line in try CalendarLines.read(bytes) {
            let isInTodo = open.contains { $0.value == component }
            switch line.name {
            case "BEGIN":
                guard open.count < depthMax else { throw FormatError(line: line.number, "components are nested too deep") }
                var begin = line
                begin.value = line.value.uppercased()
                if isInTodo { todo.append(line) } else if begin.value == component { todo = [] }
                open.append(begin)
            case "END":
                guard open.last?.value == line.value.uppercased() else {
                    throw FormatError(line: line.number, "END:\(line.value) ends nothing that began")
                }
                open.removeLast()
                if open.contains(where: { $0.value == component }) {
                    todo.append(line)
                } else if line.value.uppercased() == component {
                    let read = try self.todo(todo, line.number, place)
                    if let read { try reading.add(read) } else { reading.leftOut += 1 }
                }
            default:
                guard !open.isEmpty else { throw FormatError(line: line.number, "BEGIN:VCALENDAR is expected") }
                if isInTodo { todo.append(line) }
            }
        }
        guard let begin = open.last else { return reading }
        throw FormatError(line: begin.number, "BEGIN:\(begin.value) has no end")
    }

    private static let component = "VTODO"
    /// Maximum nesting depth, including the calendar and the todo.
    static let depthMax = 16

    /// The todo between BEGIN and END; `nil` if it is cancelled.
    private static func todo(_ lines: [CalendarLine], _ end: Int, _ place: FormatPlace) throws(FormatError) -> ForeignTodo? {
        var todo = ForeignTodo(title: "", line: max((lines.first?.number ?? end) - 1, 1))
        var status = ""
        var nested: [String] = []
        var depth = 0
        for line in lines {
            if line.name == "BEGIN" { depth += 1 }
            guard depth == 0 else {
                nested.append("\(line.key):\(line.value)")
                if line.name == "END" { depth -= 1 }
                if depth == 0 {
                    todo.attributes.append(.init(CalendarWriter.nested, nested.joined(separator: "\n")))
                    nested = []
                }
                continue
            }
            if line.name == "STATUS" { status = line.value.uppercased() }
            try take(line, into: &todo, place)
        }
        todo.isDone = status == "COMPLETED" || todo.isDone && status.isEmpty
        if !todo.isDone { todo.completed = nil }
        if !status.isEmpty { todo.expressed.insert(.done) }
        if status == CalendarWriter.inProcess { todo.attributes.append(.init("STATUS", status)) }
        // SUMMARY is optional in iCalendar, but a todo needs a title.
        if Words.isBlank(todo.title) { todo.title = "Untitled" }
        takeRule(&todo)
        takeReminder(&todo, place)
        return status == "CANCELLED" ? nil : todo
    }

    // A done todo does not recur. Its rule is kept as an attribute.
    private static func takeRule(_ todo: inout ForeignTodo) {
        guard !todo.isDone, let index = todo.attributes.firstIndex(where: { $0.name == CalendarWriter.rule }),
            let rule = Recurrence(rrule: todo.attributes[index].value)
        else { return }
        todo.every = rule
        todo.attributes.remove(at: index)
    }

    private static func takeReminder(_ todo: inout ForeignTodo, _ place: FormatPlace) {
        for (index, attribute) in todo.attributes.enumerated() where attribute.name == CalendarWriter.nested {
            guard let reminder = CalendarAlarm.reminder(attribute.value, of: todo, place) else { continue }
            todo.reminder = reminder
            todo.attributes.remove(at: index)
            return
        }
    }

    private static func take(_ line: CalendarLine, into todo: inout ForeignTodo, _ place: FormatPlace) throws(FormatError) {
        switch line.name {
        case "STATUS", "DTSTAMP", "LAST-MODIFIED": break
        case "UID": todo.source = line.value.isEmpty ? nil : CalendarText.plain(line.value)
        case "SUMMARY": todo.title = Words.trimmed(CalendarText.plain(line.value))
        case "DESCRIPTION": todo.note = CalendarText.plain(line.value)
        case "CATEGORIES": for tag in CalendarText.list(line.value) { Words.add(Words.trimmed(tag), to: &todo.tags) }
        case "PRIORITY":
            guard let level = Int(line.value), (0...9).contains(level) else {
                throw FormatError(line: line.number, "PRIORITY is 0 to 9")
            }
            todo.priority = CalendarWriter.priority(of: level)
            if level != CalendarWriter.priorities[todo.priority] { todo.attributes.append(.init(line.key, line.value)) }
        case "DUE": todo.due = try due(line, place)
        case "DTSTART": todo.wait = try due(line, place)
        case CalendarWriter.wait:
            guard let due = Due(text: line.value) else { throw FormatError(line: line.number, "\(line.name) is not a date") }
            todo.wait = due
        case "CREATED": todo.created = try seconds(line, place) * 1_000_000
        case "COMPLETED":
            todo.completed = try seconds(line, place) * 1_000_000
            todo.isDone = true
        default: todo.attributes.append(.init(line.key, line.value))
        }
    }

    /// Whether the line has no meaning for a todo and is kept as text.
    static func keeps(_ line: CalendarLine, _ place: FormatPlace) -> Bool {
        var todo = ForeignTodo(title: "")
        do throws(FormatError) { try take(line, into: &todo, place) } catch { return false }
        guard todo.attributes == [ForeignAttribute(line.key, line.value)] else { return false }
        todo.attributes = []
        return todo == ForeignTodo(title: "")
    }

    private static func time(_ line: CalendarLine) throws(FormatError) -> BasicTime {
        guard let time = BasicTime(line.value) else {
            throw FormatError(line: line.number, "\(line.name) is not a date such as 20261201 or 20261201T133000Z")
        }
        return time
    }

    private static func seconds(_ line: CalendarLine, _ place: FormatPlace) throws(FormatError) -> Int64 {
        try time(line).seconds(in: zone(of: line, place))
    }

    private static func zone(of line: CalendarLine, _ place: FormatPlace) -> Zone {
        line.parameter("TZID").flatMap(place.named) ?? place.zone
    }

    private static func due(_ line: CalendarLine, _ place: FormatPlace) throws(FormatError) -> Due {
        let time = try time(line)
        guard time.second != nil else { return Due(day: time.day) }
        return place.due(at: time.seconds(in: zone(of: line, place)))
    }
}

/// Writes VTODOs with UTC times; equal todos give equal bytes.
enum CalendarWriter {
    /// The PRIORITY for the priorities 0 to 3.
    static let priorities = [0, 9, 5, 1]

    static func priority(of level: Int) -> Int { level == 0 ? 0 : level < 5 ? 3 : level == 5 ? 2 : 1 }

    /// The attribute name under which nested components are kept, with all their lines.
    static let nested = "BEGIN"
    static let rule = "RRULE"
    static let inProcess = "IN-PROCESS"
    /// A wait date that DTSTART can't express, because it must have the type of DUE and be before it.
    static let wait = "X-TODOD-WAIT"

    static func write(_ todos: [ForeignTodo], at place: FormatPlace) -> String {
        let head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//todod//todoctl//EN"]
        let body = todos.map { component($0, place) }.joined()
        return head.map { $0 + "\r\n" }.joined() + body + "END:VCALENDAR\r\n"
    }

    private static func component(_ todo: ForeignTodo, _ place: FormatPlace) -> String {
        var text = "BEGIN:VTODO\r\n"
        func add(_ key: String, _ value: String?) {
            if let value { text += CalendarLines.folded(key, value) }
        }
        func add(_ name: String, _ due: Due) {
            if due.minute == nil {
                add(name + ";VALUE=DATE", due.day.text.replacing("-", with: ""))
            } else {
                add(name, FormatTime.basic(place.seconds(of: due)))
            }
        }
        func stamp(_ microseconds: Int64?) -> String? { microseconds.map { FormatTime.basic(FormatTime.seconds($0)) } }
        if let source = todo.source, source.utf8.count <= FormatLimits.sourceBytesMax { add("UID", CalendarText.escaped(source)) }
        add("DTSTAMP", stamp(todo.completed ?? todo.created ?? 0))
        add("SUMMARY", CalendarText.escaped(todo.title))
        if !todo.note.isEmpty { add("DESCRIPTION", CalendarText.escaped(todo.note)) }
        if !todo.tags.isEmpty { add("CATEGORIES", todo.tags.map(CalendarText.escaped).joined(separator: ",")) }
        if priorities.indices.contains(todo.priority), todo.priority > 0 { add("PRIORITY", priority(todo)) }
        if let due = todo.due { add("DUE", due) }
        if let wait = todo.wait {
            if fits(wait, before: todo.due) { add("DTSTART", wait) } else { add(Self.wait, wait.text) }
        }
        if !todo.isDone { add(rule, todo.every?.rrule) }
        add("CREATED", stamp(todo.created))
        add("STATUS", todo.isDone ? "COMPLETED" : todo.attribute("STATUS") == inProcess ? inProcess : "NEEDS-ACTION")
        if todo.isDone { add("COMPLETED", stamp(todo.completed ?? todo.created ?? 0)) }
        let kept = CalendarKept.attributes(of: todo)
        for attribute in kept where attribute.name != nested {
            // A done todo is complete by definition, and one with a due date needs no duration.
            if attribute.name == "PERCENT-COMPLETE", todo.isDone || attribute.value == "100" { continue }
            if attribute.name == "DURATION", todo.due != nil { continue }
            // An open todo without a rule had its rule removed after the import.
            if attribute.name == rule, !todo.isDone, todo.every == nil, Recurrence(rrule: attribute.value) != nil { continue }
            for line in CalendarKept.lines(attribute, place) { add(line.key, line.value) }
        }
        // Components come after all properties.
        for (key, value) in CalendarAlarm.lines(todo, place) { add(key, value) }
        for attribute in kept where attribute.name == nested {
            for line in CalendarKept.lines(attribute, place) { add(line.key, line.value) }
        }
        return text + "END:VTODO\r\n"
    }

    /// The imported PRIORITY, if it still means the same.
    private static func priority(_ todo: ForeignTodo) -> String {
        guard let kept = todo.attribute("PRIORITY"), let level = Int(kept), (0...9).contains(level),
            priority(of: level) == todo.priority
        else { return String(priorities[todo.priority]) }
        return kept
    }

    private static func fits(_ wait: Due, before due: Due?) -> Bool {
        guard let due else { return true }
        return (wait.minute == nil) == (due.minute == nil) && wait < due
    }
}

/// The parts of the imported text that are exported again.
///
/// Any writer of the list can set the origin of a todo, and other people subscribe to the calendar. So a line is written only if
/// it means no more than when it was read: the exported file is readable and has the same number of todos.
enum CalendarKept {
    /// The attributes to write, in order, as far as all of them together stay within the limits of the reader.
    static func attributes(of todo: ForeignTodo) -> [ForeignAttribute] {
        var (count, bytes) = (0, 0)
        func isTaken(_ attribute: ForeignAttribute) -> Bool {
            let size = attribute.name.utf8.count + attribute.value.utf8.count
            guard count < FormatLimits.attributesMax, bytes + size <= FormatLimits.attributesBytesMax else { return false }
            (count, bytes) = (count + 1, bytes + size)
            return true
        }
        // These are written elsewhere, but are read back as attributes.
        let others = todo.attributes.filter { ["PRIORITY", "STATUS"].contains($0.name) }
        for attribute in others where !isTaken(attribute) { return [] }
        return todo.attributes.filter { attribute in !others.contains(attribute) && isTaken(attribute) }
    }

    /// The lines of an attribute: one, or those of a nested component; empty if a reader would parse them as something else.
    static func lines(_ attribute: ForeignAttribute, _ place: FormatPlace) -> [CalendarLine] {
        guard attribute.name != CalendarWriter.nested else { return component(attribute.value) }
        guard let line = CalendarLines.line("\(attribute.name):\(attribute.value)"),
            line.value.utf8.elementsEqual(attribute.value.utf8), !bounds.contains(line.name), CalendarReader.keeps(line, place)
        else { return [] }
        return [line]
    }

    private static let bounds = [CalendarWriter.nested, "END"]

    /// The lines of exactly one component, with its nested components.
    private static func component(_ text: String) -> [CalendarLine] {
        let capitals = text.uppercased()
        guard !capitals.contains("VTODO"), !capitals.contains("VCALENDAR") else { return [] }
        var lines: [CalendarLine] = []
        var open: [String] = []
        // Split by scalars: CR LF is one Character.
        for part in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let line = CalendarLines.line(String(part)) else { return [] }
            if bounds.contains(line.name), !line.parameters.isEmpty || line.value.isEmpty { return [] }
            switch line.name {
            case "BEGIN":
                // Two more levels surround it.
                guard lines.isEmpty || !open.isEmpty, open.count < CalendarReader.depthMax - 2 else { return [] }
                open.append(line.value.uppercased())
            case "END": guard open.popLast() == line.value.uppercased() else { return [] }
            default: guard !open.isEmpty else { return [] }
            }
            lines.append(line)
        }
        return open.isEmpty ? lines : []
    }
}
