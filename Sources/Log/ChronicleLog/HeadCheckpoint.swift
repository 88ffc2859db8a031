import ChronicleValues

/// A checkpoint of a log's end, to be kept elsewhere: a log that doesn't continue from it is a different log or was changed.
///
/// Its text is `SEQUENCE-CHAIN-DIGEST`, the last two as 16 hex digits each. The checksums detect damage, loss and accidental
/// changes, not forgery.
public struct HeadCheckpoint: Sendable, Equatable {
    public var sequence: UInt64
    /// The checksum of that record, which covers all history up to it; 0 before the first record.
    public var chain: UInt64
    /// The checksum of the canonical bytes of the state after it.
    public var digest: UInt64
    /// Number of redactions of the log when the state was folded.
    public var redactions: UInt64

    public init(sequence: UInt64, chain: UInt64, digest: UInt64, redactions: UInt64 = 0) {
        self.sequence = sequence
        self.chain = chain
        self.digest = digest
        self.redactions = redactions
    }
}

extension HeadCheckpoint: LosslessStringConvertible {
    /// The text form; after a redaction, `-COUNT` follows.
    public var description: String {
        "\(sequence)-\(Hexadecimal.text(chain))-\(Hexadecimal.text(digest))" + (redactions == 0 ? "" : "-\(redactions)")
    }

    /// Parses the text form; `nil` for any other text.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard 3...4 ~= parts.count, let sequence = UInt64(parts[0]), let chain = Hexadecimal.number(parts[1]),
            let digest = Hexadecimal.number(parts[2]), let redactions = parts.count == 4 ? UInt64(parts[3]) : 0
        else { return nil }
        self.init(sequence: sequence, chain: chain, digest: digest, redactions: redactions)
        guard self.description.utf8.elementsEqual(description.utf8) else { return nil }
    }
}
