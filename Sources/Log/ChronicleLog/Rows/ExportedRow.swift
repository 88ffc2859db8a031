public import ChronicleValues

/// A row that stands in exports: its message, and then the checksum of that, so that a flipped bit is found there, too.
public protocol ExportedRow: CanonicalCodable {}

extension KeyRow: ExportedRow {}
extension OutboxRow: ExportedRow {}
extension BaseRow: ExportedRow {}
extension DerivedRows.KeyRun: ExportedRow {}

extension ExportedRow {
    /// The bytes that stand in an export.
    public var exportedBytes: [UInt8] { Row.sealed(self, key: []) }

    /// Reads what `exportedBytes` gave.
    ///
    /// - Throws: `damaged`.
    public init(exported bytes: [UInt8]) throws(ActionLogError) {
        self = try Row.open(bytes.span.bytes, key: [UInt8]().span.bytes, as: Self.self, sequence: 0, of: "a row")
    }
}
