import Reducing
import StoreRuntime
import TodoAPI

extension Change {
    /// How long it is as JSON, roughly.
    var approximateBytes: Int { 64 + path.utf8.count + (old?.approximateBytes ?? 0) + (new?.approximateBytes ?? 0) }
}

extension [Change] {
    /// The changes, if one answer holds them.
    var fitting: [Change]? { fitting(beside: 0) }

    /// The changes, if one answer holds them beside so many bytes.
    func fitting(beside others: Int) -> [Change]? {
        var bytes = others
        for change in self {
            bytes += change.byteCount
            if bytes > AnswerLimits.bytesMax { return nil }
        }
        return self
    }
}

extension Message {
    /// How long it is as JSON.
    var byteCount: Int {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes.count
    }
}
