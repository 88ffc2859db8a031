import Reducing
import TodoAPI
import Varlink

extension Session {
    /// Shows an action of a feature with what it changed, or writes it as JSON.
    func show(_ entry: DebugTailMethod.Output) {
        if isJSON {
            var bytes: [UInt8] = []
            entry.write(into: &bytes)
            return output.json(bytes)
        }
        let what = RecordLines.what(["action": entry.action.json])
        let rest = entry.cut == true ? " (too long to be shown)" : ""
        output.line("\(entry.sequence)  \(moment(entry.time).text)  " + paint(what, .bold) + rest)
        for line in entry.lines { output.line("  " + paint(Visible.text(line), line.hasPrefix("-") ? .red : .green)) }
        if let count = entry.linesLeftOut { output.line("  and \(Digits.grouped(Int(clamping: count))) more lines") }
        if entry.lines.isEmpty, entry.linesLeftOut == nil { output.line("  changes nothing") }
    }
}
