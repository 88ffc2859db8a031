import ChronicleValues

/// Where a log ended and what it came to, to be kept elsewhere: a log that does not go on from there is another one, or was changed.
///
/// Its text is `SEQUENCE-CHAIN-DIGEST`, the last two as 16 hexadecimal digits each. The checksums are no signatures: they tell what was
/// damaged, lost or written anew, but not what somebody made with the same checksums on purpose.
public struct AnchoredHead: Sendable, Equatable {
    /// The last record; 0 is before everything.
    public var sequence: UInt64
    /// The checksum of that record, which stands for all history up to it; 0 before everything.
    public var chain: UInt64
    /// The checksum of the canonical bytes of the state after it.
    public var digest: UInt64
    /// How often something had been taken out of the log before the state was folded.
    public var redactions: UInt64

    public init(sequence: UInt64, chain: UInt64, digest: UInt64, redactions: UInt64 = 0) {
        self.sequence = sequence
        self.chain = chain
        self.digest = digest
        self.redactions = redactions
    }
}

extension AnchoredHead: LosslessStringConvertible {
    /// Its text; after a redaction, `-COUNT` follows.
    public var description: String {
        "\(sequence)-\(Hexadecimal.text(chain))-\(Hexadecimal.text(digest))" + (redactions == 0 ? "" : "-\(redactions)")
    }

    /// Reads its text; `nil` for any other.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard 3...4 ~= parts.count, let sequence = UInt64(parts[0]), let chain = Hexadecimal.number(parts[1]),
            let digest = Hexadecimal.number(parts[2]), let redactions = parts.count == 4 ? UInt64(parts[3]) : 0
        else { return nil }
        self.init(sequence: sequence, chain: chain, digest: digest, redactions: redactions)
        guard self.description.utf8.elementsEqual(description.utf8) else { return nil }
    }
}
