public import ChronicleLog
internal import Glibc

extension ActionLogError {
    public static func io(what: String, errno: Int32) -> ActionLogError { .io("\(what): \(systemText(errno))") }
}

func systemText(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
