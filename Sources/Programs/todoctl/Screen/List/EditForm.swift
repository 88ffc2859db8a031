import Dates
import TodoRules

enum TodoField: Int, CaseIterable {
    case title, due, priority, tags, note

    var label: String { String(describing: self) }
}

struct EditForm: Equatable {
    let id: Int64
    /// The todo when the form was opened; fields that differ from it are saved.
    let todo: Todo
    var entries: [TextEntry]
    var focus = TodoField.title

    init(_ todo: Todo) {
        (id, self.todo) = (todo.id, todo)
        entries = TodoField.allCases.map { TextEntry(Self.text($0, of: todo)) }
    }

    static func text(_ field: TodoField, of todo: Todo) -> String {
        switch field {
        case .title: todo.title
        case .due: todo.due?.spelledForTyping ?? ""
        case .priority: todo.priority == 0 ? "" : Priority(level: todo.priority).name
        case .tags: Tags.line(todo.tags)
        case .note: todo.note
        }
    }

    /// The fields that differ.
    ///
    /// - Throws: for a field that can't be parsed.
    func draft(_ dates: DateReader) throws(Mistake) -> TodoDraft {
        var draft = TodoDraft()
        for field in TodoField.allCases {
            let text = entries[field.rawValue].text
            guard text != Self.text(field, of: todo) else { continue }
            do throws(Failure) { try field.read(text, into: &draft, dates) } catch {
                throw Mistake(field: field, message: error.message)
            }
        }
        return draft
    }

    struct Mistake: Error, Equatable {
        var field: TodoField
        var message: String
    }
}

extension TodoField {
    func read(_ text: String, into draft: inout TodoDraft, _ dates: DateReader) throws(Failure) {
        let text = self == .note ? text : text.trimmed
        switch self {
        case .title:
            if let mistake = TitleRule.mistake(in: text) { throw Failure(.usage, mistake) }
            draft.title = text
        case .due:
            guard !text.isEmpty, text.lowercased() != "none" else {
                draft.due = .some(nil)
                return
            }
            do { draft.due = .some(try dates.due(text)) } catch { throw Failure(error) }
        case .priority:
            guard let priority = text.isEmpty ? Priority(level: 0) : Priority(argument: text) else {
                throw Failure(.usage, "A priority is 0 to 3, or none, low, medium, high.")
            }
            draft.priority = priority.level
        case .tags:
            var tags: [String] = []
            for (_, tag) in Tags.signed(text) where !tags.contains(tag) { tags.append(tag) }
            draft.tags = tags
        case .note: draft.note = text
        }
    }
}

extension TitleRule {
    /// The rule that the title breaks while it is being typed; `nil` if it is valid.
    static func mistake(in title: String) -> String? {
        let missing = charactersMissing(in: trimmed(title))
        guard missing > 0 else { return nil }
        return missing == charactersMin ? sentence : "\(Digits.counted(missing, "more character")) for a title"
    }
}

extension Due {
    /// A spelling that is parsed the same on any day: `2026-12-01 14:30`.
    var spelledForTyping: String { minute.map { "\(day.text) \(Due.clock($0))" } ?? day.text }
}
