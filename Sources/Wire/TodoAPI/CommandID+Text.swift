import Varlink

extension CommandID: Hashable {
    /// As people write it: `12.0`.
    public var text: String { "\(sequence).\(index)" }

    /// Reads what people write; `12` is `12.0`.
    public init?(text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let sequence = parts.first.flatMap({ UInt64(Substring($0)) }), sequence <= Int64.exactMax,
            let index = parts.count == 1 ? 0 : Int(Substring(parts[1])), (0..<1 << 32).contains(index)
        else { return nil }
        self.init(sequence: sequence, index: index)
    }

    /// Mixes in both parts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(sequence)
        hasher.combine(index)
    }

    var value: Value { ["sequence": .int(Int64(clamping: sequence)), "index": .int(Int64(index))] }
}
