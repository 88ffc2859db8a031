import Chronicle

/// Filters untrusted values of a data source; only for `prepare`, because it depends on the Unicode tables.
enum SourceFilter {
    /// Returns the first repositories with an ID and a name, without duplicates and with truncated texts.
    static func kept(_ repositories: [Repository]) -> [Repository] {
        var ids: Set<UInt64> = []
        var kept: [Repository] = []
        for var repository in repositories where kept.count < Repositories.Limits.itemsMax {
            guard ElementID.range.contains(repository.id), isName(repository.fullName, Repositories.Limits.nameBytesMax),
                ids.insert(repository.id).inserted
            else { continue }
            repository.description = repository.description.prefix(bytesMax: Repositories.Limits.descriptionBytesMax)
            if !isPage(repository.url) { repository.url = "" }
            repository.stars = min(max(0, repository.stars), Int64.exactMax)
            kept.append(repository)
        }
        return kept
    }

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

    // Opening a page passes an untrusted text to a browser, so only web URLs are accepted.
    private static func isPage(_ url: String) -> Bool {
        guard url.utf8.count <= Repositories.Limits.urlBytesMax, url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return false }
        let start = url.prefix(8).lowercased()
        return start.hasPrefix("https://") && url.utf8.count > 8 || start.hasPrefix("http://") && url.utf8.count > 7
    }
}
