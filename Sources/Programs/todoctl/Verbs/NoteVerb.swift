import ArgumentParser
import Chronicle
import TodoAPI

struct NoteVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Edit the note of a todo.",
        discussion: """
            EXAMPLES:
              todoctl note 3
              EDITOR=nano todoctl note 3

            The editor is $VISUAL, $EDITOR or vi. Nothing is written if the text is unchanged or the editor fails. If the note was
            changed at the same time, nothing is written either, and a message names the file with your text.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The todo's id.", completion: .todos)
    var id: Int64

    private static let attemptsMax = 20

    func run(_ session: Session) throws {
        let before = try session.todo(id).todo
        let shown = NoteVerb.shown(before.note)
        let draft = try DraftFile(shown, name: "note-\(id).txt")
        do throws(Failure) { try draft.edit() } catch {
            // Keep text that was written before the editor failed.
            throw (try? draft.text())?.hasSameBytes(as: shown) == true ? error : kept(draft, error)
        }
        let note: String
        do throws(Failure) { note = NoteVerb.written(try draft.text(), instead: before.note) } catch {
            throw kept(draft, error)
        }
        guard !note.hasSameBytes(as: before.note) else {
            if !session.isJSON { session.output.line("The note of \(id) is unchanged: \(Visible.text(before.title))") }
            return
        }
        do throws(Failure) { try change(before.note, to: note, session) } catch { throw kept(draft, error) }
    }

    /// Keeps the draft, and names its file in the failure.
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
                throw Failure(.refused, "The note of \(id) was changed by another client; nothing was done.")
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

    /// The text for the editor, which ends with a newline.
    static func shown(_ note: String) -> String { note.isEmpty || note.utf8.last == UInt8(ascii: "\n") ? note : note + "\n" }

    /// The note from the editor, without the newline that editors add at the end, unless the old note had one.
    static func written(_ text: String, instead old: String) -> String {
        guard old.utf8.last != UInt8(ascii: "\n"), text.utf8.last == UInt8(ascii: "\n") else { return text }
        return String(decoding: text.utf8.dropLast(), as: UTF8.self)
    }
}
