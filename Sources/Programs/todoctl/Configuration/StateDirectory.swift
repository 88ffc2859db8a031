import TodoAPI

/// The directory for todoctl's own files: `XDG_STATE_HOME`, or `~/.local/state`.
enum StateDirectory {
    static func path(of name: String) throws(Failure) -> String {
        if let state = Environment.variable("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/\(name)" }
        guard let home = Environment.variable("HOME"), home.hasPrefix("/") else {
            throw Failure(.usage, "HOME is unset, so there is no directory for \(name): set it, or XDG_STATE_HOME.")
        }
        return "\(home)/.local/state/\(name)"
    }

    /// Whether the text is a valid file name: a letter, then letters, digits, "-", "_" and ".".
    static func isName(_ name: String, bytesMax: Int) -> Bool {
        let isLetter = { (byte: UInt8) in UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
        let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        guard let first = name.utf8.first, isLetter(first), name.utf8.count <= bytesMax else { return false }
        let marks = Array("-_.".utf8)
        return name.utf8.allSatisfy { isLetter($0) || isDigit($0) || marks.contains($0) }
    }
}
