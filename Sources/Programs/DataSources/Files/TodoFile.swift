public import Chronicle

/// Loads todos from a file: one title per line, or a JSON array of titles.
public struct TodoFile: TodoSource {
    public let path: String

    /// The file is read at each load and may not exist yet.
    public init(path: String) { self.path = path }

    public func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] {
        try TitleList.titles(in: try FileContents(of: path, bytesMax: TitleList.bytesMax).bytes, from: path)
    }
}
