public import ChronicleValues

/// A row in an export: the message and its checksum, which detects damage in the file.
public protocol ExportedRow: CanonicalCodable {}

extension KeyRow: ExportedRow {}
extension OutboxRow: ExportedRow {}
extension BaseRow: ExportedRow {}
extension DerivedRows.KeyRun: ExportedRow {}

extension ExportedRow {
    public var exportedBytes: [UInt8] { Row.sealed(self, key: []) }

    /// Decodes `exportedBytes`; throws `damaged`.
    public init(exported bytes: [UInt8]) throws(ActionLogError) {
        self = try Row.open(bytes.span.bytes, key: [UInt8]().span.bytes, as: Self.self, sequence: 0, of: "a row")
    }
}
