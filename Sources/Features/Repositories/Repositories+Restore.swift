import PersistentCollections
public import Reducing
import Restoring

extension Repositories {
    /// Takes back what became of the list, of its language and of those to choose from; what has changed since is a conflict.
    public static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        var restored = Restored(present)
        let conflicts = restored.state.items.restore(from: after.items, to: before.items) { _, _, before in before }
        restored.conflicts = conflicts.flatMap { Conflict.of($0, in: "items") }
        if !after.language.hasSameBytes(as: before.language), !present.language.hasSameBytes(as: before.language) {
            if !present.language.hasSameBytes(as: after.language) {
                restored.conflicts.append(
                    Conflict("language", expected: .text(after.language), found: .text(present.language)))
            }
            restored.state.language = before.language
        }
        if !after.hasSameLanguages(as: before.languages), !present.hasSameLanguages(as: before.languages) {
            if !present.hasSameLanguages(as: after.languages) {
                restored.conflicts.append(
                    Conflict("languages", expected: after.languages.value, found: present.languages.value))
            }
            restored.state.languages = before.languages
        }
        // Both say only whether somebody asks; that is in nobody's way.
        if present.isLive == after.isLive { restored.state.isLive = before.isLive }
        if present.loading == after.loading { restored.state.loading = before.loading }
        return restored
    }

    /// A patch; and where the list was being loaded, a request for it.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        let hasLanguage = present.language.hasSameBytes(as: wanted.language)
        let hasLanguages = present.hasSameLanguages(as: wanted.languages)
        var actions: [Action] = []
        if !patch.isEmpty || !hasLanguage || !hasLanguages || present.isLive != wanted.isLive {
            actions.append(
                .restore(
                    patch, language: hasLanguage ? "" : wanted.language, languages: hasLanguages ? [] : wanted.languages,
                    isLive: wanted.isLive))
        }
        if wanted.loading, !present.loading { actions.append(.reload) }
        return actions
    }
}
