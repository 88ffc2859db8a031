import ChronicleLog
import ChronicleStore
import ChronicleValues
import DiskLog
import Glibc
import Logging
import TimeTravel
import TodoAPI
import Varlink
import Zstandard

#if Cluster
    import ReplicatedLog
#endif

struct Compacting<App: DaemonApp>: Sendable {
    let log: LMDBActionLog
    let shared: SharedLog?
    let directory: String
    let history: History<App>
    let exporting: Exporting<App>
    let work: FileWork
    /// Keys of compacted records that are older, counted from the last record, are forgotten; `nil`: none.
    let forgetKeysDays: UInt64?

    func dryRun(before point: TimeTravel.Point) async throws -> CompactMethod.Output {
        var outcome = try outcome(try await history.provable(at: point))
        if forgetKeysDays != nil, outcome.records > 0 {
            let forgotten = try await work.run {
                [log, oldest = oldestKeyTime, base = outcome.base] () throws(ActionLogError) in
                var count: UInt64 = 0
                var place: KeyPlace?
                repeat {
                    place = try log.keys(after: place, rowsMax: HistoryLimits.keyRowsMax) { _, row in
                        if row.last <= base, row.time < oldest { count += 1 }
                    }
                } while place != nil
                return count
            }
            outcome.keysForgotten = forgotten == 0 ? nil : forgotten
        }
        return outcome
    }

    /// Writes the archive, then compacts; an interruption before the end changes nothing.
    ///
    /// Concurrent dispatches wait only for the last records and the replacement of the files.
    func run(before point: TimeTravel.Point) async throws -> CompactMethod.Output {
        try log.beginCompaction()
        defer {
            log.endCompaction()
            FreeMemory.giveBack()
        }
        let past = try await history.proven(at: point)
        var outcome = try outcome(past.sequence)
        guard outcome.records > 0 else { return outcome }
        let base = Base(
            sequence: past.sequence, checksum: try log.checksum(of: past.sequence) ?? 0, time: past.time,
            archive: outcome.archive)
        var archive = try ArchiveFile(outcome.archive, in: directory)
        do {
            try await exporting.run(from: history.base.sequence + 1, through: past.sequence, open: [], past: past) {
                try archive.append($0)
            }
            try archive.finish()
            exporting.store.crashPoints.pass(.afterArchive)
            let forgotten = try await compact(to: base, past)
            outcome.keysForgotten = forgotten == 0 ? nil : forgotten
        } catch {
            // If it is unknown which of the two logs is on disk, keep the archive.
            if case StoreError.outcomeUnknown = error { throw error }
            unlink("\(directory)/\(outcome.archive)")
            throw error
        }
        SnapshotStore(directory: directory).removeAll(before: past.sequence)
        return outcome
    }

    private var oldestKeyTime: Int64 {
        guard let forgetKeysDays else { return .min }
        // The earlier one, because the clock may have been wrong now or then.
        return min(log.head.time, StoreClock.system.wall()).subtracting(
            clamping: Int64(clamping: forgetKeysDays) * 86_400_000_000)
    }

    private func compact(to base: Base, _ past: PastState<App>) async throws -> UInt64 {
        let (compactedCopy, forgotten) = try await work.run {
            [log, oldest = oldestKeyTime, state = past.state] () throws(ActionLogError) in
            var forgotten: UInt64 = 0
            let told = CompactionSummary(of: try DerivedRows.of(App.self, in: log, through: base.sequence))
            let copy = try log.compactedCopy(after: base, state: state, telling: told) { row in
                if row.time < oldest { forgotten += 1 }
                return row.time >= oldest
            }
            return (copy, forgotten)
        }
        // Without suspending in between, so that no query uses a history that begins before its log.
        try await exporting.store.compact { [log, shared, history] () throws(ActionLogError) in
            // Announce first, or others could redact records that this copy no longer has.
            try shared?.announceBase(base.sequence)
            do throws(ActionLogError) { try log.compact(to: compactedCopy) } catch {
                shared?.withdrawBase()
                throw error
            }
            history.begin(with: past)
        }
        return forgotten
    }

    private func outcome(_ sequence: UInt64) throws(StoreError) -> CompactMethod.Output {
        let base = history.base.sequence
        guard sequence >= base else { throw .pruned(base: base) }
        guard sequence > base else { return CompactMethod.Output(base: base, records: 0, archive: log.base?.archive ?? "") }
        return CompactMethod.Output(
            base: sequence, records: sequence - base, archive: ArchiveName(first: base + 1, last: sequence).text)
    }
}

/// Archives of compactions that were interrupted before they changed the log; a later redaction would miss their records.
struct CutOffArchives {
    let log: any ActionLog
    let directory: String
    let logger: Logger

    /// Removes archives whose records the log contains intact; call it after a recovery without damage.
    func remove() {
        let base = log.base?.sequence ?? 0
        do throws(ActionLogError) {
            for name in try ArchiveName.all(in: directory) where name.first == base + 1 && name.last > base {
                if let header = header(of: name) { try remove(name, header) }
            }
        } catch {
            logger.warning("Archives of interrupted compactions may be left", metadata: ["error": "\(error)"])
        }
    }

    private func remove(_ name: ArchiveName, _ header: ExportHeader) throws(ActionLogError) {
        do throws(ActionLogError) {
            // The checksum of the last record covers all history up to it, but does not prove that it is still readable.
            guard try log.checksum(of: header.last) == header.checksum else { return }
            guard try log.fold(from: header.first, through: header.last, { _, _ in true }) > header.last else { return }
        } catch {
            // It may be the only copy.
            return logger.warning(
                "Keeping the archive of an interrupted compaction: it has records that can't be read in the log",
                metadata: ["archive": "\(name.text)", "error": "\(error)"])
        }
        guard unlink("\(directory)/\(name.text)") == 0 else {
            throw .io(what: "removing \(directory)/\(name.text)", errno: errno)
        }
        logger.notice("Removed the archive of an interrupted compaction", metadata: ["archive": "\(name.text)"])
    }

    private func header(of name: ArchiveName) -> ExportHeader? {
        let descriptor = open("\(directory)/\(name.text)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var file = ExportFile(descriptor: descriptor)
        guard let header = try? file.header(), header.storeID == log.head.storeID, header.first == name.first,
            header.last == name.last
        else { return nil }
        return header
    }
}

struct ArchiveFile: ~Copyable {
    private var file: OutputFile
    private var compressor = Compressor()

    /// Creates an archive; throws `contradiction` if the file exists: it may be the only copy of another history.
    init(_ name: String, in directory: String) throws(ActionLogError) {
        guard faccessat(AT_FDCWD, "\(directory)/\(name)", F_OK, AT_SYMLINK_NOFOLLOW) != 0 else {
            throw .contradiction(what: "the file \(directory)/\(name) already exists: move it elsewhere, and compact again")
        }
        file = try OutputFile(name, in: directory)
    }

    mutating func append(_ text: String) throws(ActionLogError) {
        try file.append(compressor.compress(Array(text.utf8)).span.bytes)
    }

    mutating func finish() throws(ActionLogError) {
        try file.append(compressor.finish().span.bytes)
        try file.finish()
    }
}
