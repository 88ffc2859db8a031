/// What is given back to a calendar of what its source said.
///
/// Whoever may write to the list says where a todo comes from, and others follow the calendar. So a line is written only if it says no more
/// than it did when it was read: what is written can be read again, and has as many todos.
enum CalendarKept {
    /// The attributes that are written as they are, in their order, as far as all of them together can be read again.
    static func attributes(of todo: ForeignTodo) -> [ForeignAttribute] {
        var (count, bytes) = (0, 0)
        func isTaken(_ attribute: ForeignAttribute) -> Bool {
            let size = attribute.name.utf8.count + attribute.value.utf8.count
            guard count < FormatLimits.attributesMax, bytes + size <= FormatLimits.attributesBytesMax else { return false }
            (count, bytes) = (count + 1, bytes + size)
            return true
        }
        // What becomes of these is said elsewhere, but they come back as attributes.
        let others = todo.attributes.filter { ["PRIORITY", "STATUS"].contains($0.name) }
        for attribute in others where !isTaken(attribute) { return [] }
        return todo.attributes.filter { attribute in !others.contains(attribute) && isTaken(attribute) }
    }

    /// The lines of an attribute: one, or those of a component in the todo; none, if a reader would take them for more than was kept.
    static func lines(_ attribute: ForeignAttribute, _ place: FormatPlace) -> [CalendarLine] {
        guard attribute.name != CalendarWriter.nested else { return component(attribute.value) }
        guard let line = CalendarLines.line("\(attribute.name):\(attribute.value)"),
            line.value.utf8.elementsEqual(attribute.value.utf8), !bounds.contains(line.name), CalendarReader.keeps(line, place)
        else { return [] }
        return [line]
    }

    private static let bounds = [CalendarWriter.nested, "END"]

    /// The lines of exactly one component, and of what is in it.
    private static func component(_ text: String) -> [CalendarLine] {
        let capitals = text.uppercased()
        guard !capitals.contains("VTODO"), !capitals.contains("VCALENDAR") else { return [] }
        var lines: [CalendarLine] = []
        var open: [String] = []
        // By scalars: a carriage return and a line feed are one character.
        for part in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let line = CalendarLines.line(String(part)) else { return [] }
            if bounds.contains(line.name), !line.parameters.isEmpty || line.value.isEmpty { return [] }
            switch line.name {
            case "BEGIN":
                // Two more are open around it.
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
