internal import Glibc

/// The system's sentence for an errno.
func systemText(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
