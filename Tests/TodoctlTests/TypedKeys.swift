import Terminal

extension ScreenKey {
    /// The keys for which a terminal sends a text and nothing more.
    static func typed(_ text: String) -> [ScreenKey] {
        var decoder = KeyDecoder()
        return decoder.keys(in: Array(text.utf8)) + decoder.timeOut()
    }
}
