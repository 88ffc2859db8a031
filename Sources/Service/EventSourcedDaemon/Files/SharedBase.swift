import Records

/// What a log begins with as all hold it who export it at the same time: it may be large, and who reads slowly, or never, holds it long.
actor SharedBase {
    private weak var held: ExportedBase?

    /// That of a log, read only if nobody holds it as it is now; `nil`: the log begins with the first record.
    ///
    /// - Throws: what reading it throws.
    func current(of log: any ActionLog) throws -> ExportedBase? {
        if let held, held.base == log.base, held.redactions == log.redactions.count { return held }
        let current = try ExportedBase(of: log)
        held = current
        return current
    }
}
