import ChronicleLog
import DiskLog
import Glibc
import LinuxService
import Logging
import TimeTravel

extension OfflineLog {
    /// Makes the log from a backup, and closes it at the end, because a process must not open a log twice.
    /// - Parameters:
    ///   - point: the last record to restore; `nil`: all of the backup.
    ///   - output: gets a list of the removed records and rows.
    func restore(from backup: String, until point: String?, _ output: LogOutput) throws(StartFailure) {
        let cluster = configuration[Setting.cluster]
        guard point == nil || cluster == nil else {
            throw StartFailure(
                .usage, "--until can't be used for a copy of a shared log, which continues with all of its records.")
        }
        let point = try point.map { text throws(StartFailure) in try RestorePoint(text) }
        var refusal: StartFailure?
        do throws(ActionLogError) {
            if let point {
                _ = try LMDBActionLog.restore(from: backup, to: directory) { (log) throws(ActionLogError) in
                    do throws(StartFailure) { return try rows(of: log, at: point, in: backup, output) } catch {
                        refusal = error
                        throw .contradiction(what: error.message)
                    }
                }
            } else {
                _ = try LMDBActionLog.restore(from: backup, to: directory, asCopyOf: cluster?.name)
            }
            if let place = try LMDBActionLog.openBeside(directory: directory).place { return try goOn(as: place) }
            // Opening the log starts an epoch and holds the commands.
            let log = try openAnchored()
            DaemonServices.print(
                "Restored \(directory) up to record \(log.head.sequence), in a new epoch; checking it.")
            let held = try log.outbox().count
            if held > 0 {
                DaemonServices.print(
                    "\(held == 1 ? "1 open command is" : "\(held) open commands are") held: todoctl commands release.")
            }
            if let lock = log.head.lock { DaemonServices.print("It is locked: \(lock.reason). To continue: todoctl unlock.") }
        } catch {
            throw refusal ?? failure(error)
        }
    }

    /// A copy of a shared log stays in the epoch of the other machines, with the commands unchanged.
    private func goOn(as place: ReplicaPlace) throws(ActionLogError) {
        let log = try openAnchored()
        DaemonServices.print(
            "Restored \(directory) up to record \(log.head.sequence), as a copy of the shared log \(place.name); "
                + "its next start fetches the later records. Checking it.")
    }

    private func openAnchored() throws(ActionLogError) -> LMDBActionLog {
        let log = try LMDBActionLog.open(directory: directory, configuration: options)
        try log.anchor()
        return log
    }

    private func rows(
        of log: LMDBActionLog, at point: RestorePoint, in backup: String, _ output: LogOutput
    ) throws(StartFailure) -> DerivedRows {
        let sequence = try point.sequence(in: log)
        do throws(ActionLogError) {
            let rows = try DerivedRows.of(App.self, in: log, through: sequence)
            var lines = try CutOff(of: log, downTo: rows).lines
            if let damage = log.damage { lines.append("unreadable: \(damage)") }
            DaemonLogHandler.bootstrap(output: output, threshold: LogThreshold(configuration[Setting.logLevel]))
            let logger = Logger(label: program.name)
            guard !lines.isEmpty else {
                DaemonServices.print("\(backup) has nothing after record \(sequence).")
                return rows
            }
            DaemonServices.print("After record \(sequence), of \(RestorePoint.text(rows.time)), this is cut off:")
            for line in lines {
                DaemonServices.print("  \(line)")
                logger.notice("Cut off a backup", metadata: ["backup": "\(backup)", "until": "\(sequence)", "what": "\(line)"])
            }
            return rows
        } catch {
            throw StartFailure(error, directory: backup, of: program)
        }
    }
}

/// The last record to restore: a record, the last one up to a time, or the one that a bookmark names.
enum RestorePoint: Sendable, Equatable {
    case sequence(UInt64)
    case time(Int64)
    case bookmark(String)

    // From here on, a number is a time: no log has this many records, and as a time it is in March 1973.
    private static let timeMin: UInt64 = 100_000_000_000_000

    /// Parses `1234`, `1795251600123456`, `2026-11-20T14:00:05.5+01:00`, or a bookmark name.
    ///
    /// A day, minute or second means its end. Without an offset, the local time zone applies.
    init(_ text: String) throws(StartFailure) {
        if let number = UInt64(text), text.first != "+" {
            self = number < Self.timeMin ? .sequence(number) : .time(Int64(clamping: number))
        } else if let time = Self.microseconds(text) {
            self = .time(time)
        } else if (try? BookmarkName(text)) != nil {
            self = .bookmark(text)
        } else {
            throw StartFailure(
                .usage, "“\(text)” is not a point: give a record (1234), a time (2026-11-20T14:00:05Z) or the name of a bookmark."
            )
        }
    }

    /// Resolves the point in a log; a time after the last record means the last record.
    func sequence(in log: any ActionLog) throws(StartFailure) -> UInt64 {
        guard let found = try reading({ () throws(ActionLogError) -> UInt64? in try found(in: log) }) else {
            let names = try reading { () throws(ActionLogError) -> [String] in try log.bookmarks().map(\.name) }
            let others = names.isEmpty ? "" : "; it has \(names.joined(separator: ", "))"
            throw StartFailure(.usage, "The backup has no such bookmark\(others).")
        }
        guard found <= log.head.sequence else {
            throw StartFailure(.usage, "The backup ends at record \(log.head.sequence), before \(found).")
        }
        if let base = log.base, found < base.sequence || isBefore(base) {
            throw StartFailure(
                .usage,
                base.archive.map { "The records up to \(base.sequence) were compacted, and are in the archive \($0)." }
                    ?? "The log of the backup begins after record \(base.sequence).")
        }
        return found
    }

    private func found(in log: any ActionLog) throws(ActionLogError) -> UInt64? {
        switch self {
        case .sequence(let sequence): sequence
        case .time(let time): try log.sequence(atOrBefore: time)
        case .bookmark(let name): try log.bookmark(name)?.sequence
        }
    }

    private func reading<Value>(_ body: () throws(ActionLogError) -> Value) throws(StartFailure) -> Value {
        do { return try body() } catch { throw StartFailure(.damagedData, "\(error).") }
    }

    private func isBefore(_ base: Base) -> Bool { if case .time(let time) = self { time < base.time } else { false } }

    private static func microseconds(_ text: String) -> Int64? {
        let form = /(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?([Zz]|[+-]\d\d:?\d\d)?)?/
        guard let (_, year, month, day, hour, minute, second, fraction, zone) = text.wholeMatch(of: form)?.output else {
            return nil
        }
        let number = { (digits: Substring?) -> Int32 in digits.flatMap { Int32($0) } ?? 0 }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(year) - 1900, number(month) - 1, number(day))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(hour), number(minute), number(second))
        // timegm normalizes an invalid date to a different valid one.
        var same = parts
        guard timegm(&same) >= 0, same.tm_mday == parts.tm_mday, same.tm_hour == parts.tm_hour, same.tm_min == parts.tm_min else {
            return nil
        }
        parts.tm_isdst = -1
        let seconds = zone == nil ? mktime(&parts) : timegm(&parts) - offset(of: zone ?? "")
        let begin = Int64(seconds) * 1_000_000
        if let fraction { return begin + Int64(number(fraction + String(repeating: "0", count: 6 - fraction.count))) }
        let length: Int64 = hour == nil ? 86_400_000_000 : second == nil ? 60_000_000 : 1_000_000
        return begin + length - 1
    }

    private static func offset(of zone: Substring) -> Int {
        guard let number = Int(zone.filter(\.isNumber)) else { return 0 }
        return (number / 100 * 60 + number % 100) * (zone.hasPrefix("-") ? -60 : 60)
    }

    /// Formats a time in microseconds since 1970: `2026-11-20T14:00:05Z`.
    static func text(_ time: Int64) -> String {
        var seconds = time_t(time / 1_000_000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(time)" }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The records and rows that truncating a log removes, as a list for people.
struct CutOff {
    static let namesMax = 20

    let lines: [String]

    init(of log: any ActionLog, downTo rows: DerivedRows) throws(ActionLogError) {
        let head = log.head
        var lines: [String] = []
        let count = head.sequence - rows.sequence
        if count > 0 {
            var first = head.time
            _ = try log.fold(from: rows.sequence + 1, through: rows.sequence + 1) { record, _ in
                first = record.time
                return true
            }
            lines.append(
                "records \(rows.sequence + 1) to \(head.sequence): \(count), "
                    + "from \(RestorePoint.text(first)) to \(RestorePoint.text(head.time))")
        }
        let open = try? log.outbox().filter { $0.id.sequence > rows.sequence }
        lines += Self.listed("open commands", (open ?? []).map { "\($0.id) \($0.call.name)" })
        lines += try Self.bookmarks(of: log, downTo: rows)
        lines += try Self.keys(of: log, downTo: rows)
        self.lines = lines
    }

    private static func bookmarks(of log: any ActionLog, downTo rows: DerivedRows) throws(ActionLogError) -> [String] {
        let stay = rows.standing.bookmarks.map { ExactText($0.name) }
        let gone = try log.bookmarks().filter { $0.record > rows.sequence }
        return listed(
            "bookmarks", gone.map { stay.contains(ExactText($0.name)) ? "\($0.name) (returns to its earlier position)" : $0.name }
        )
    }

    private static func keys(of log: any ActionLog, downTo rows: DerivedRows) throws(ActionLogError) -> [String] {
        var place: KeyPlace?
        var (names, count): ([String], Int) = ([], 0)
        repeat {
            place = try log.keys(after: place, rowsMax: 4_096) { place, row in
                guard row.first > rows.sequence else { return }
                count += 1
                if names.count < namesMax { names.append("\(place.key) of uid \(place.uid)") }
            }
        } while place != nil
        var lines = listed("keys", names, of: count)
        if let divided = rows.divided {
            lines.append(
                "the end of the dispatch with the key \(divided.place.key) of uid \(divided.place.uid), which began earlier")
        }
        return lines
    }

    private static func listed(_ kind: String, _ names: [String], of count: Int? = nil) -> [String] {
        let count = count ?? names.count
        guard count > 0 else { return [] }
        let more = count > namesMax ? " and \(count - namesMax) more" : ""
        return ["\(kind): \(count) (\(names.prefix(namesMax).joined(separator: ", "))\(more))"]
    }
}
