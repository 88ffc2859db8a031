/// Markdown task lists: `- [ ] title #tag`, `- [x] title`; indented items count as todos; other lines are ignored.
enum MarkdownFormat {
    static func read(_ bytes: [UInt8]) throws(FormatError) -> FormatReading {
        var reading = FormatReading()
        var fence: Character?
        for (number, text) in try SourceText.lines(bytes) {
            let line = text.drop(while: \.isWhitespace)
            // Skip fenced code blocks.
            if let mark = line.first, mark == "`" || mark == "~", line.hasPrefix(String(repeating: mark, count: 3)) {
                if fence == nil || fence == mark { fence = fence == nil ? mark : nil }
                continue
            }
            guard fence == nil, let (isDone, words) = item(line), !Words.isBlank(words) else { continue }
            var todo = ForeignTodo(title: "", line: number)
            todo.isDone = isDone
            todo.expressed = [.done]
            take(words, into: &todo)
            try reading.add(todo)
        }
        return reading
    }

    private static func item(_ line: Substring) -> (isDone: Bool, words: Substring)? {
        var rest = line
        guard let mark = rest.popFirst() else { return nil }
        if mark.isASCII, mark.isNumber {
            rest = rest.drop { $0.isASCII && $0.isNumber }
            guard let end = rest.popFirst(), end == "." || end == ")" else { return nil }
        } else if mark != "-", mark != "*", mark != "+" {
            return nil
        }
        guard rest.first?.isWhitespace == true else { return nil }
        rest = rest.drop(while: \.isWhitespace)
        let box = rest.prefix(3)
        guard box == "[ ]" || box == "[x]" || box == "[X]", rest.dropFirst(3).first?.isWhitespace != false else { return nil }
        return (box != "[ ]", rest.dropFirst(3))
    }

    /// Parses the title and the tags after it.
    private static func take(_ words: Substring, into todo: inout ForeignTodo) {
        var title = Substring(Words.trimmed(words))
        var tags: [String] = []
        while let space = title.lastIndex(where: \.isWhitespace) {
            let word = title[title.index(after: space)...]
            guard word.hasPrefix("#"), word.utf8.count > 1, !word.hasPrefix("##") else { break }
            tags.append(String(word.dropFirst()))
            title = title[..<Words.end(of: title[..<space])]
        }
        todo.title = String(title)
        for tag in tags.reversed() { Words.add(tag, to: &todo.tags) }
    }

    static func write(_ todos: [ForeignTodo]) -> String {
        todos.map { todo in
            let tags = todo.tags.map { " #" + Words.asOne($0) }.joined()
            return "- [\(todo.isDone ? "x" : " ")] \(Words.onOneLine(todo.title))\(tags)\n"
        }.joined()
    }
}
