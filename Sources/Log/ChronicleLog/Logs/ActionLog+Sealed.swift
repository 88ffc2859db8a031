extension ActionLog {
    /// Reads one record as stored, with all checks but the link to the one before.
    public func sealed(_ sequence: UInt64) throws(ActionLogError) -> SealedRecord {
        var found: SealedRecord?
        _ = try sealed(from: sequence, through: sequence, recordsMax: 1, bytesMax: .max) {
            found = $0
            return false
        }
        guard let found else { throw .contradiction(what: "there is no record \(sequence)") }
        return found
    }
}
