/// What proves to a server who asks; it is read when needed, lent, and never printed.
public struct Token: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String

    init?(_ bytes: some Collection<UInt8>) {
        // An editor leaves a line feed at the end.
        let ends = bytes.reversed().prefix { $0 == 0x0A || $0 == 0x0D }
        let text = bytes.dropLast(ends.count)
        // What no header can carry is no token.
        guard !text.isEmpty, text.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = String(decoding: text, as: UTF8.self)
    }

    func lend<Result>(_ body: (String) -> Result) -> Result { body(text) }

    /// A word in its place.
    public var description: String { "(token)" }
    /// Nothing, so that no dump shows it.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
