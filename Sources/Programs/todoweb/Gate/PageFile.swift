/// A file of the page: one of those that were there when the program was built, and none else.
struct PageFile: Sendable {
    /// Its path below the page.
    let name: String
    /// Its media type, with the coding of its characters.
    let type: String
    private let text: StaticString

    /// The file of a path as it stands in a request; `nil`: there is none.
    ///
    /// It is looked up as it is, byte for byte, so no way of writing a path leads anywhere else.
    init?(path: Substring) {
        guard path.first == "/" else { return nil }
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        guard let text = pageTexts[name], let type = Self.type(of: name) else { return nil }
        (self.name, self.type, self.text) = (name, type, text)
    }

    /// What is served.
    var bytes: [UInt8] { Array(text.description.utf8) }

    /// The media type that the end of a name stands for; `nil`: it is no file of a page.
    static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: nil
        }
    }
}
