import Chronicle
import ChronicleLog
public import ChronicleStore

extension History {
    /// Folds the log with this code, and compares the results with those of earlier code: commands, snapshot digests, and checks.
    ///
    /// Read-only. Single records are compared only after the last snapshot and between the last equal and the first different state.
    /// - Parameter deadline: when to stop with the findings so far; `nil`: at the head.
    /// - Throws: `queryBusy`, `stopping`; unreadable records are part of the result.
    public func rehearse(until deadline: ContinuousClock.Instant? = nil) async throws(StoreError) -> Rehearsal {
        try await query(.long) { (queries) async throws(StoreError) in
            let head = self.log.head
            let rows = try StoreError.reading { () throws(ActionLogError) in
                CurrentRows<App.Command>(beforeFirstOf: self.log, head, try self.log.kept(), stored: ([], []))
            }
            var course = RehearsalCourse<App>(from: try self.pastAtBase(), rows, through: head.sequence, deadline)
            do throws(StoreError) {
                try await self.rehearse(&course, queries)
            } catch {
                switch error {
                case .damaged(let sequence, let what), .undecodable(let sequence, let what):
                    course.rehearsal.state = Rehearsal.Difference(sequence, "this version can't read it: \(what)")
                default: throw error
                }
            }
            course.rehearsal.records = course.past.sequence - self.base.sequence
            return course.rehearsal
        }
    }

    private func rehearse(_ course: inout RehearsalCourse<App>, _ queries: isolated Queries) async throws(StoreError) {
        let head = course.head
        guard course.past.sequence < head else { return }
        let digests = await loader.digests(in: course.past.sequence + 1...head)
        for known in digests {
            guard try await rehearseOn(&course, through: known.sequence, queries) else { return }
            // Encoding large states must not take longer than folding.
            guard known == digests.last || digests.count <= HistoryLimits.rehearsedDigestsMin || course.hasTimeForDigest else {
                continue
            }
            guard try await isSame(known, &course) else { return try await narrow(&course, digests, to: known, queries) }
        }
        guard try await rehearseOn(&course, through: head, queries) else { return }
        // In a short log, also find differences that cancel out by the end.
        let start = head - base.sequence <= HistoryLimits.rehearsedTailMax ? try pastAtBase() : course.same
        guard head - start.sequence <= HistoryLimits.rehearsedTailMax else { return }
        _ = try await compareChecks(from: start, &course, through: head, queries)
    }

    /// Folds and compares commands; `false` when the time is over.
    private func rehearseOn(
        _ course: inout RehearsalCourse<App>, through last: UInt64, _ queries: isolated Queries
    ) async throws(StoreError) -> Bool {
        while course.past.sequence < last {
            guard !course.isOverTime else {
                course.rehearsal.isCutShort = true
                return false
            }
            var asked: [(record: HeaderFields, commands: [App.Command])] = []
            var past = course.takePast()
            defer { course.past = past }
            try readSlice(from: past.sequence + 1, through: last) { record, action in
                let commands = past.apply(action, of: record)
                if record.changesRows || !commands.isEmpty { asked.append((record, commands)) }
                return asked.count < HistoryLimits.pageRecordsMax
            }
            for (record, commands) in asked { try compare(commands, of: record, &course) }
            try await queries.yieldIfNeeded()
        }
        return true
    }

    private func compare(
        _ commands: [App.Command], of record: HeaderFields, _ course: inout RehearsalCourse<App>
    ) throws(StoreError) {
        let asksForCommands = record.commandCount > 0 || !commands.isEmpty
        if asksForCommands { course.rehearsal.commands += 1 }
        guard course.rehearsal.command == nil else { return }
        try StoreError.reading { () throws(ActionLogError) in try course.rows.apply(record, of: log) }
        guard asksForCommands else { return }
        let sequence = record.sequence
        let calls = try self.record(at: sequence).header.commands
        let ours = commands.map { CommandCall($0) }
        guard calls != ours, course.effective(calls, of: sequence) != course.effective(ours, of: sequence) else { return }
        let words = { (calls: [CommandCall]) in
            calls.isEmpty
                ? "nothing"
                : calls.map { call in
                    let command = try? App.Command(canonical: call.arguments)
                    return
                        "\(call.name) \(command.map { "\($0.arguments)" } ?? "(\(call.arguments.count) bytes that this version can't read)")"
                }.joined(separator: ", ")
        }
        course.rehearsal.command = Rehearsal.Difference(
            sequence, "this version asks for other commands",
            details: ["the record asks for: \(words(calls))", "this version asks for: \(words(ours))"])
    }

    private func isSame(_ known: SnapshotSummary, _ course: inout RehearsalCourse<App>) async throws(StoreError) -> Bool {
        let began = ContinuousClock.now
        defer { course.digesting += ContinuousClock.now - began }
        guard await holds(course.past.state, known, &course) else { return false }
        course.same = course.past
        return true
    }

    /// Whether a state equals that of a snapshot, also of one in an older encoding.
    private func holds(_ state: App.State, _ known: SnapshotSummary, _ course: inout RehearsalCourse<App>) async -> Bool {
        course.rehearsal.states += 1
        let digest = await loader.digest(of: state)
        if digest == known.digest { return true }
        guard await loader.holds(digest, inOlderFormAt: known.sequence) else { return false }
        course.hasOlderForm = true
        return true
    }

    /// Finds the first different record after the last equal state, as precisely as possible.
    private func narrow(
        _ course: inout RehearsalCourse<App>, _ digests: [SnapshotSummary], to known: SnapshotSummary, _ queries: isolated Queries
    ) async throws(StoreError) {
        let reached = course.past
        var end = known
        var past = course.same
        for between in digests where between.sequence > past.sequence && between.sequence < end.sequence {
            try await fold(&past, through: between.sequence, queries)
            if await holds(past.state, between, &course) { course.same = past } else { end = between }
        }
        // The first difference may lie before states that are equal again.
        let same = course.same
        let isEarlier = try await !compareChecks(from: try pastAtBase(), &course, through: same.sequence, queries)
        if !isEarlier, try await compareChecks(from: same, &course, through: end.sequence, queries) {
            course.rehearsal.state = Rehearsal.Difference(
                end.sequence, since: same.sequence, "they fold to another state, and nothing tells which of them does")
        }
        if let found = course.rehearsal.state, isEarlier || end.sequence != found.sequence || found.since + 1 < found.sequence {
            var ours = course.same
            try await fold(&ours, through: end.sequence, queries)
            course.rehearsal.state?.details += await theirs(at: end.sequence, beside: ours.state)
        }
        course.past = reached
    }

    /// Compares the changes of each record, from an equal state; returns `false` after the first difference.
    private func compareChecks(
        from start: PastState<App>, _ course: inout RehearsalCourse<App>, through last: UInt64, _ queries: isolated Queries
    ) async throws(StoreError) -> Bool {
        // With another encoding, every check differs.
        if course.hasOlderForm { return true }
        var past = start
        var run: FoldChecks?
        while past.sequence < last, !course.isOverTime {
            let first = FoldChecks.first(for: past.sequence + 1)
            if run?.first != first { run = await loader.checks(first) }
            let stop = min(first + FoldChecks.recordsMax - 1, last)
            guard let run, run.last > past.sequence else {
                try await fold(&past, through: stop, queries)
                continue
            }
            var before = past
            var found: UInt64?
            var compared: UInt64 = 0
            try foldSlice(&past, through: min(stop, run.last)) { past, record in
                let bytes = App.difference(from: before.state, to: past.state)?.bytes ?? []
                compared += 1
                let known = run.checks[Int(record.sequence - first)]
                guard known == FoldChecks.unknown || known == FoldChecks.check(bytes) else {
                    found = record.sequence
                    return false
                }
                before = PastState(sequence: past.sequence, time: past.time, state: past.state)
                return true
            }
            course.rehearsal.checks += compared
            if let found {
                course.rehearsal.state = Rehearsal.Difference(
                    found, "it folds to another state",
                    details: difference(from: before.state, to: past.state, run.checks[Int(found - first)]))
                return false
            }
            if past.sequence == run.last, run.last < stop { try await fold(&past, through: stop, queries) }
            try await queries.yieldIfNeeded()
        }
        return true
    }

    /// Describes a difference known only from checks.
    private func difference(from before: App.State, to after: App.State, _ check: UInt32) -> [String] {
        let ours = Self.lines(of: App.changes(from: before, to: after, limit: HistoryLimits.shownChangesMax))
        let theirs =
            check == FoldChecks.nothing ? "the other version: changes nothing" : "the other version: changes something else"
        return [theirs, ours.isEmpty ? "this version: changes nothing" : "this version:"] + ours
    }

    /// Diff from this code's state to the one in the other code's snapshot.
    private func theirs(at sequence: UInt64, beside ours: App.State) async -> [String] {
        guard let state = await loader.state(at: sequence) else { return [] }
        let lines = Self.lines(of: App.changes(from: state, to: ours, limit: HistoryLimits.shownChangesMax))
        return ["after record \(sequence), from the other version's state to that of this one:"]
            + (lines.isEmpty ? ["  more than \(HistoryLimits.shownChangesMax) parts differ, or what no view shows"] : lines)
    }

    private static func lines(of changes: [Change]?) -> [String] {
        (changes ?? []).map { change in
            let place = change.path + (change.id.map { "[\($0)]" } ?? "")
            let (old, new) = (change.old.map { "\($0)" }, change.new.map { "\($0)" })
            return "  \(change.kind.rawValue) \(place)" + (old.map { " from \($0)" } ?? "") + (new.map { " to \($0)" } ?? "")
        }
    }
}

struct RehearsalCourse<App: Feature>
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    var rehearsal = Rehearsal()
    var past: PastState<App>
    /// The last state known to be equal in both.
    var same: PastState<App>
    let head: UInt64
    var rows: CurrentRows<App.Command>
    var hasOlderForm = false
    var digesting = Duration.zero
    private let began = ContinuousClock.now
    private let deadline: ContinuousClock.Instant?

    init(
        from base: PastState<App>, _ rows: CurrentRows<App.Command>, through head: UInt64,
        _ deadline: ContinuousClock.Instant?
    ) {
        (past, same, self.rows) = (base, base, rows)
        self.head = head
        self.deadline = deadline
    }

    var isOverTime: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

    /// Whether less than a tenth of the time was spent on whole states.
    var hasTimeForDigest: Bool { digesting * 10 < ContinuousClock.now - began }

    /// Omits commands of a record that only end others, if none of their targets is open: they have no effect.
    func effective(_ calls: [CommandCall], of sequence: UInt64) -> [CommandCall] {
        let policies = calls.map { Self.policy(of: $0) }
        let own = policies.compactMap { $0?.isCancellation == false ? $0?.cancelID : nil }
        return zip(calls, policies).compactMap { call, policy in
            guard let policy, policy.isCancellation else { return call }
            let isOpen = rows.open.values.contains { $0.id.sequence < sequence && $0.cancelID == policy.cancelID }
            return isOpen || policy.cancelID.map { own.contains($0) } ?? false ? call : nil
        }
    }

    private static func policy(of call: CommandCall) -> CommandPolicy? { (try? App.Command(canonical: call.arguments))?.policy }

    /// The current state, moved out so that a fold copies nothing.
    mutating func takePast() -> PastState<App> {
        defer { past = PastState(sequence: past.sequence, time: past.time, state: same.state) }
        return past
    }
}
