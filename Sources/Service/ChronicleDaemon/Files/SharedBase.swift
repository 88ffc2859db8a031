import ChronicleLog

/// Shares one copy of the base among concurrent exports: it may be large, and slow readers hold it long.
actor SharedBase {
    private weak var held: ExportedBase?

    func current(of log: any ActionLog) throws -> ExportedBase? {
        if let held, held.base == log.base, held.redactions == log.redactions.count { return held }
        let current = try ExportedBase(of: log)
        held = current
        return current
    }
}
