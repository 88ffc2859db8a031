public import Chronicle

/// Loads todos from a file: one title a line, or a JSON array of titles.
public struct TodoFile: TodoSource {
    /// Where the file is.
    public let path: String

    /// A file that is read at each load; it need not be there yet.
    public init(path: String) { self.path = path }

    /// The titles that stand in the file now.
    public func titles(_ ticket: CommandTicket) async throws(CommandFailure) -> [String] {
        try TitleList.titles(in: try FileContents(of: path, bytesMax: TitleList.bytesMax).bytes, from: path)
    }
}
