import ArgumentParser
import Chronicle
import TodoAPI

struct NoteVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Write the note of a todo in an editor.",
        discussion: """
            EXAMPLES:
              todoctl note 3
              EDITOR=nano todoctl note 3

            The editor is $VISUAL, or $EDITOR, or vi. What it leaves is the note from then on; nothing is done if that is as it was, or
            the editor fails. If somebody changed the note meanwhile, that is said, and your text stays in the file that is named.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The todo's id.", completion: .todos)
    var id: Int64

    // How often the list may have changed while the note was compared.
    private static let attemptsMax = 20

    func run(_ session: Session) throws {
        let before = try session.todo(id).todo
        let shown = NoteVerb.shown(before.note)
        let draft = try DraftFile(shown, name: "note-\(id).txt")
        do throws(Failure) { try draft.edit() } catch {
            // What was written before the editor failed is not lost.
            throw (try? draft.text())?.hasSameBytes(as: shown) == true ? error : kept(draft, error)
        }
        let note: String
        do throws(Failure) { note = NoteVerb.written(try draft.text(), instead: before.note) } catch {
            throw kept(draft, error)
        }
        guard !note.hasSameBytes(as: before.note) else {
            if !session.isJSON { session.output.line("The note of \(id) is as it was: \(Visible.text(before.title))") }
            return
        }
        do throws(Failure) { try change(before.note, to: note, session) } catch { throw kept(draft, error) }
    }

    /// A failure after which the text is not lost.
    private func kept(_ draft: DraftFile, _ failure: Failure) -> Failure {
        draft.isKept = true
        var failure = failure
        failure.message += "\nYour text is in \(Visible.text(draft.path))"
        return failure
    }

    private func change(_ old: String, to note: String, _ session: Session) throws(Failure) {
        var attempts = 0
        while true {
            let (todo, page) = try session.todo(id)
            guard todo.note.hasSameBytes(as: old) else {
                throw Failure(.refused, "The note of \(id) was changed meanwhile; nothing was done.")
            }
            let edit = TodoDraft(note: note)
            let input = DispatchMethod.Input(
                actions: [TodoAction.edit(id, edit)], expectedSequence: page.sequence, scope: "todos.items", epoch: page.epoch)
            do throws(Failure) {
                return try session.change(input) { _ in TodoSentences([todo]).changed(at: session.now) { _ in edit } }
            } catch {
                attempts += 1
                guard case .staleSequence = error.known, attempts < NoteVerb.attemptsMax else { throw error }
            }
        }
    }

    /// A note as an editor likes it: a text file ends with the end of a line.
    static func shown(_ note: String) -> String { note.isEmpty || note.utf8.last == UInt8(ascii: "\n") ? note : note + "\n" }

    /// The note that an editor left: without the end of the last line, which editors add, unless the old one had it.
    static func written(_ text: String, instead old: String) -> String {
        guard old.utf8.last != UInt8(ascii: "\n"), text.utf8.last == UInt8(ascii: "\n") else { return text }
        return String(decoding: text.utf8.dropLast(), as: UTF8.self)
    }
}
