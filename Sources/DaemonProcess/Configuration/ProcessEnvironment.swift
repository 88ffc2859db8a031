import Glibc

/// What the process was given by whoever started it.
public enum ProcessEnvironment {
    /// Its variables; what is not UTF-8 is repaired, of doubles the first counts, as for getenv.
    public static var variables: [String: String] {
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

    /// The directory it runs in; the root when that is gone.
    public static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
