import Fields

/// What is kept of what a source brings, which nobody has looked at before; for `prepare` alone, because it knows characters.
enum SourceRule {
    /// The first repositories that have an id and a name, each once, their texts not longer than allowed.
    static func kept(_ repositories: [Repository]) -> [Repository] {
        var ids: Set<UInt64> = []
        var kept: [Repository] = []
        for var repository in repositories where kept.count < Repositories.Limits.itemsMax {
            guard Repositories.Limits.ids.contains(repository.id), isName(repository.fullName, Repositories.Limits.nameBytesMax),
                ids.insert(repository.id).inserted
            else { continue }
            repository.description = repository.description.prefix(bytesMax: Repositories.Limits.descriptionBytesMax)
            if !isPage(repository.url) { repository.url = "" }
            repository.stars = min(max(0, repository.stars), Repository.starsMax)
            kept.append(repository)
        }
        return kept
    }

    /// The first languages that have a name, each once.
    static func kept(_ languages: [String]) -> [String] {
        var kept: [String] = []
        for name in languages where kept.count < Repositories.Limits.languagesMax {
            guard isName(name, Repositories.Limits.languageBytesMax), !kept.contains(where: { $0.hasSameBytes(as: name) })
            else { continue }
            kept.append(name)
        }
        return kept
    }

    private static func isName(_ text: String, _ bytesMax: Int) -> Bool { 1...bytesMax ~= text.utf8.count }

    // Whoever opens a page gets what a stranger wrote, so nothing but a web address gets that far.
    private static func isPage(_ url: String) -> Bool {
        guard url.utf8.count <= Repositories.Limits.urlBytesMax, url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return false }
        let start = url.prefix(8).lowercased()
        return start.hasPrefix("https://") && url.utf8.count > 8 || start.hasPrefix("http://") && url.utf8.count > 7
    }
}
