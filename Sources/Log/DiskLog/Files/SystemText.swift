public import ChronicleLog
internal import Glibc

extension ActionLogError {
    /// What the system refused, with its sentence for the errno.
    public static func io(what: String, errno: Int32) -> ActionLogError { .io("\(what): \(systemText(errno))") }
}

/// The system's sentence for an errno.
func systemText(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
