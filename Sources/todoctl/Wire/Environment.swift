import Glibc

/// What surrounds the process.
enum Environment {
    /// A variable of the environment; nil if it is unset.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
