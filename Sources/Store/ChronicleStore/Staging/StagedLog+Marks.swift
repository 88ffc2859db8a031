import Chronicle
import ChronicleLog
import Expressions

extension StagedLog {
    /// Notes the changes since a state, and refuses a state that is too large or breaks an invariant which held before.
    /// - Throws: `.stateFull`, `.invariantBroken`; `.invariantTooCostly` if checking takes more than `Limits.judgingStepsMax` steps.
    mutating func checkChanges(from before: App.State, bytesMax: Int) throws(StoreError) {
        let change = try change(since: before, bytesMax: bytesMax)
        // The checker advances to this state and can't be rolled back.
        if !invariants.isEmpty {
            do throws(InvariantChecker<App>.Obstacle) {
                try invariants.follow(to: staged.state, changesMax: .max, stepsMax: Limits.judgingStepsMax)
            } catch {
                switch error {
                case .changedTooMuch: throw .batchTooLarge
                case .tooCostly(let broken): throw .invariantTooCostly(broken.name)
                case .broken(let broken):
                    let changes = App.changes(from: before, to: staged.state, limit: Limits.brokenChangesMax)
                    throw .invariantBroken(broken.name, broken.expression.text, changes ?? [])
                }
            }
        }
        note(change)
    }

    func check(_ requirement: Expression) throws(StoreError) {
        var evaluation = requirement.evaluation(in: StateReading<App>(staged.state))
        switch evaluation.advance(steps: Limits.requirementStepsMax) {
        case true?: return
        case false?: throw .requirementBroken(requirement.text)
        case nil: throw .requirementTooLong
        }
    }

    /// Stages the record of an invariant that was evaluated on a recent state.
    /// - Throws: `.outdated` if too much has changed since.
    mutating func stageInvariant(
        _ invariant: Invariant, _ checked: InvariantState<App>, at state: App.State
    ) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let isThere = staged.invariants.contains { $0.name.hasSameBytes(as: invariant.name) }
        guard isThere || staged.invariants.count < Limits.invariantsMax else {
            throw .tooManyInvariants(max: Limits.invariantsMax)
        }
        var judged = InvariantChecker(checked, in: state)
        do throws(InvariantChecker<App>.Obstacle) {
            try judged.follow(to: staged.state, changesMax: Limits.changesMax, stepsMax: Limits.judgingStepsMax, isBinding: false)
        } catch {
            throw .outdated
        }
        for invariant in judged.all { invariants.set(invariant, at: staged.state) }
        return stage(invariant)
    }

    mutating func removeInvariant(_ name: String, by uid: UInt32) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        guard staged.invariants.contains(where: { $0.name.hasSameBytes(as: name) }) else { throw .unknownInvariant(name) }
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        invariants.remove(name)
        return stage(Invariant(name: name, text: "", origin: uid))
    }

    private mutating func stage(_ invariant: Invariant) -> DispatchResult<App.Command> {
        let sequence = stageMark(.invariant, by: invariant.origin) {
            Invariant(name: invariant.name, text: invariant.text).encode(into: &$0)
        }
        staged.invariants.apply(invariant, of: sequence, by: invariant.origin)
        pending.flush.headChange.invariants = staged.invariants
        return DispatchResult(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    /// Refuses operations of people while the log is locked; earlier requests and command results continue.
    func checkUnlocked() throws(StoreError) {
        if let lock = staged.lock { throw .locked(lock) }
    }

    mutating func lock(_ reason: String, by uid: UInt32) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let sequence = stageMark(.lock, by: uid) { Lock(reason: reason).encode(into: &$0) }
        change(.lock(Lock(reason: reason, origin: uid, record: sequence)))
        return DispatchResult(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    /// Unlocks the log; logs nothing if it is not locked.
    mutating func unlock(by uid: UInt32) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        guard staged.lock != nil else { return nothing }
        let sequence = stageMark(.unlock, by: uid)
        change(.unlock)
        return DispatchResult(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    private mutating func change(_ change: LockChange) {
        pending.flush.headChange.lock = change
        staged.lock = if case .lock(let lock) = change { lock } else { nil }
    }

    /// Stages the record and the row of a bookmark, checked against the rows on disk; none is staged now.
    mutating func stageBookmark(
        _ bookmark: Bookmark, by uid: UInt32, isOfOwner: Bool
    ) throws(StoreError) -> DispatchResult<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let found = try StoreError.reading { () throws(ActionLogError) in try log.bookmark(bookmark.name) }
        if bookmark.isWithdrawn, found == nil { throw .unknownBookmark(bookmark.name) }
        var owners = try countedBookmarkOwners()
        // A refusal keeps the counts, too.
        bookmarkOwners = owners
        let replaced = found.map { owner(of: $0) }
        if !bookmark.isWithdrawn {
            let (all, own) = (owners.values.reduce(0, +), owners[uid] ?? 0)
            guard found != nil || all < Limits.bookmarksMax else { throw .tooManyBookmarks(max: Limits.bookmarksMax) }
            let share = Limits.share(of: Limits.bookmarksMax, besides: all - own)
            guard !isOfOwner || replaced == uid || own < share else { throw .tooManyBookmarks(max: share, of: uid) }
        }
        if let replaced { owners[replaced, default: 0] -= 1 }
        if !bookmark.isWithdrawn { owners[uid, default: 0] += 1 }
        let sequence = stageMark(.bookmark, by: uid) { bookmark.encode(into: &$0) }
        pending.flush.apply(bookmark, of: sequence)
        bookmarkOwners = owners
        return DispatchResult(epoch: staged.epoch, sequences: sequence..<sequence + 1)
    }

    /// The number of bookmarks that each uid set last; cached until others change bookmarks or the log is compacted.
    private func countedBookmarkOwners() throws(StoreError) -> [UInt32?: Int] {
        if let bookmarkOwners { return bookmarkOwners }
        let rows = try StoreError.reading { () throws(ActionLogError) in try log.bookmarks() }
        return rows.reduce(into: [:]) { owners, row in owners[owner(of: row), default: 0] += 1 }
    }

    // `nil` if the record was compacted away or can't be read.
    private func owner(of row: BookmarkRow) -> UInt32? {
        var owner: UInt32?
        guard row.record >= log.first else { return nil }
        _ = try? log.read(from: row.record, through: row.record) { header, _ in
            owner = header.origin
            return false
        }
        return owner
    }

    /// Folds records of other machines, which the log already contains; nothing is staged.
    ///
    /// Throws `.damaged` and `.undecodable`: the log then has records that the state lacks.
    mutating func follow(_ flush: Flush) throws(StoreError) {
        let before = staged
        let head = log.head
        var state = staged.state
        try App.fold(log, from: before.sequence + 1, through: head.sequence, into: &state)
        let commands = try StoreError.reading { () throws(ActionLogError) in try flush.commandChanges() }
        (staged.state, staged.sequence, staged.time, staged.epoch) = (state, head.sequence, head.time, head.epoch)
        staged.lock = head.lock
        if staged.invariants != head.invariants {
            staged.invariants = head.invariants
            invariants = InvariantChecker(head.invariants, in: staged.state)
        } else {
            invariants.follow(to: staged.state)
        }
        for (id, row) in commands {
            if let row { outbox.put(OpenCommand(row: row, command: Self.command(of: row))) } else { outbox.close(id) }
        }
        outbox.follow(head)
        steps.forget()
        if flush.changesBookmarks { forgetBookmarkOwners() }
        note(try change(since: before.state))
    }

    /// Folds the whole log again after a redaction by another machine; nothing is staged.
    mutating func foldAnew(initial: App.State) throws(StoreError) {
        let recovered = try RecoveryResult<App>(from: log, initial: initial)
        (staged.state, staged.stateBytes) = (recovered.present.state, recovered.present.stateBytes)
        staged.redactions = log.redactions.count
        // A redaction is not checked against invariants.
        invariants = recovered.invariants
        staged.note(ScopeSet(rawValue: .max), at: staged.sequence)
    }
}
