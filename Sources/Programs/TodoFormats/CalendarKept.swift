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
