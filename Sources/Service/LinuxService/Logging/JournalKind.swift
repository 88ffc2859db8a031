package import Logging

/// Kinds of entries that programs look for in the journal: each has an identity for ever, its `MESSAGE_ID`.
///
/// See systemd.journal-fields(7). For a person the line says what it is.
package enum JournalKind: String, Sendable, CaseIterable {
    /// The daemon serves.
    case serving = "186f53d4595c48ccad8f02ac214ec315"
    /// It has stopped as asked.
    case stopped = "268753734e074b89ab6ccb7d430bf19e"
    /// Where the log of actions ends.
    case head = "47bfd6683586416c96cdd6aafacaaa73"
    /// A call with the right to administer was done.
    case administered = "b2f69938710d4f188dfe36c8930709f0"
    /// Such a call was refused, or failed.
    case notAdministered = "2a6c925724ea433bbd2a33a70d4c2f62"
    /// A record of a feature that is debugged.
    case debuggedRecord = "d38ccdca4bb04111b27732c0319e92fd"
    /// A command has failed for good.
    case commandFailed = "ff03470abbd14ac8849df5606cbb5d90"
    /// A command waits for a person.
    case commandParked = "2991976cfb4941429b184d18b702c141"

    /// Where a line's metadata says its kind; it is no part of the line.
    static let metadataKey = "message-id"
}

extension Logger.Metadata {
    /// The same, of a line of this kind.
    package func of(_ kind: JournalKind) -> Logger.Metadata {
        merging([JournalKind.metadataKey: "\(kind.rawValue)"]) { $1 }
    }
}
