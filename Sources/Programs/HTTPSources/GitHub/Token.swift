/// A bearer token; it is read for each call and never printed.
public struct Token: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String

    init?(_ bytes: some Collection<UInt8>) {
        // Editors append a newline.
        let ends = bytes.reversed().prefix { $0 == 0x0A || $0 == 0x0D }
        let text = bytes.dropLast(ends.count)
        // Other bytes are not allowed in a header.
        guard !text.isEmpty, text.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = String(decoding: text, as: UTF8.self)
    }

    func lend<Result>(_ body: (String) -> Result) -> Result { body(text) }

    public var description: String { "(token)" }
    /// Empty, so that no dump contains the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
