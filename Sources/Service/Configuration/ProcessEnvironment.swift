import Glibc

/// What the process was given by whoever started it.
enum ProcessEnvironment {
    /// Its variables; what is not UTF-8 is repaired, of doubles the first counts, as for getenv.
    static var variables: [String: String] {
        var variables: [String: String] = [:]
        // The C library keeps them as a list of C strings that ends with nil.
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }

    /// A path from a directory, the one that the process runs in unless another is named.
    static func absolute(_ path: String, in directory: String = workingDirectory) -> String {
        path.hasPrefix("/") ? path : (directory == "/" ? "/" : directory + "/") + path
    }

    /// The directory it runs in; the root when that is gone.
    static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
