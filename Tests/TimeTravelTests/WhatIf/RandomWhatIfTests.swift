import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureCounter
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

@Suite struct RandomWhatIfTests {
    @Test func `skipping records has the same result as a replay of the rest from the beginning`() async throws {
        var (vanished, lost, new) = (0, 0, 0)
        for seed in 0..<60 as Range<UInt64> {
            let story = try await Story.random(seed, records: 60)
            let records = try story.records
            var dice = SeededGenerator(~seed)
            for _ in 0..<6 {
                let first = UInt64.random(in: 1...story.log.head.sequence, using: &dice)
                let last = min(story.log.head.sequence, first + UInt64.random(in: 0...3, using: &dice))
                let recordsOnly = !Bool.random(using: &dice)
                let keepsResults = Int.random(in: 0...3, using: &dice) == 0
                let steps = Set(records[Int(first) - 1..<Int(last)].map(\.header.step))
                let skipped = records.filter { record in
                    let header = record.header
                    return (first...last).contains(header.sequence)
                        || !recordsOnly && header.cause == nil && steps.contains(header.step)
                }
                let expected = NaiveHistory(
                    records, without: Set(skipped.map(\.header.sequence)), keepsResults: keepsResults)
                let answer = try await story.history.whatIf(
                    WhatIfQuery([.skip(first...last)], recordsOnly: recordsOnly, keepsResults: keepsResults))
                let comment: Comment = "\(seed): \(first)...\(last) \(recordsOnly) \(keepsResults)"
                #expect(answer.state == expected.state, comment)
                #expect(Set(answer.notRun.map(\.id)) == expected.notRun, comment)
                #expect(answer.wouldRun.map { "\($0.place).\($0.index)" }.sorted() == expected.wouldRun.sorted(), comment)
                #expect(answer.vanishedCount == UInt64(expected.vanished.count), comment)
                #expect(answer.skippedCount == UInt64(skipped.count), comment)
                #expect(answer.changes == App.changes(from: story.store.present.state, to: answer.state, limit: .max))
                vanished += expected.vanished.count
                lost += expected.notRun.count
                new += expected.wouldRun.count
            }
        }
        // The random cases must have covered these outcomes.
        #expect(vanished > 60)
        #expect(lost > 60)
        #expect(new > 15)
    }

    @Test func `edits and insertions have the same result as a rewritten history`() async throws {
        for seed in 0..<100 as Range<UInt64> {
            let sample = try SampleLog.random(seed, records: 30)
            var dice = SeededGenerator(~seed)
            let end = UInt64.random(in: 1...sample.head, using: &dice)
            var lines = (1...end).map { (name: $0, action: sample.actions[Int($0) - 1], isLogged: true) }

            let edited = UInt64.random(in: 1...end, using: &dice)
            lines[Int(edited) - 1] = (edited, .counter(.increment), false)
            let inserted = UInt64.random(in: 0...end, using: &dice)
            let action = App.Action.todos(.updateText("inserted"))
            lines.insert((0, action, false), at: Int(inserted))
            let edits = [
                Edit<App.Action>.edit(edited, .counter(.increment)), .insert(after: inserted, action),
            ]

            let recordsOnly = !Bool.random(using: &dice)
            if !recordsOnly {
                // The edit replaces its whole dispatch.
                let header = sample.headers[Int(edited) - 1]
                for index in lines.indices where header.key != nil && lines[index].name > 0 && lines[index].name != edited {
                    let other = sample.headers[Int(lines[index].name) - 1]
                    if other.key == header.key && other.step == header.step { lines[index].action = nil }
                }
            }

            var state = App.State()
            for line in lines {
                guard let action = line.action else { continue }
                let header = line.name == 0 ? nil : sample.headers[Int(line.name) - 1]
                let context = Context(time: header?.time ?? 0, origin: header?.origin ?? 7)
                let actions = line.isLogged ? [action] : try App.prepare(action, state, context)
                for action in actions { _ = App.reduce(&state, action, context) }
            }
            let answer = try await sample.history().whatIf(
                WhatIfQuery(edits, at: .sequence(end), origin: 7, recordsOnly: recordsOnly))
            #expect(answer.state == state, "\(seed): \(edits)")
            #expect(answer.to == end)
            #expect(answer.changes == App.changes(from: sample.states[Int(end)], to: state, limit: .max))
        }
    }

    @Test func `what-if queries have the same result after a compaction`() async throws {
        var compared = 0
        for seed in 0..<20 as Range<UInt64> {
            let story = try await Story.random(seed, records: 60)
            let records = try story.records
            let (head, open) = (story.log.head.sequence, Set(try story.log.outbox().map(\.id.sequence)))
            // Only the number is known of a command that was open at the base and has ended since.
            let clean = (1..<head).filter { sequence in
                !open.contains { $0 <= sequence }
                    && !records.dropFirst(Int(sequence)).contains { $0.header.cause.map { $0.sequence <= sequence } ?? false }
            }
            guard let base = clean.dropFirst(clean.count / 2).first else { continue }
            let history = History<App>(
                story.log, snapshots: nil, fingerprint: "code", base: try await story.history.state(at: .sequence(base)))
            for first in base + 1...head {
                let question = WhatIfQuery<App>([.skip(first...min(head, first + 1))])
                let (whole, compacted) = (try await story.history.whatIf(question), try await history.whatIf(question))
                // The base lacks the beginning of a step that began before it.
                guard whole.from >= base else { continue }
                #expect(compacted.state == whole.state && compacted.changes == whole.changes, "\(seed): \(base), \(first)")
                #expect(compacted.notRun == whole.notRun)
                #expect(compacted.wouldRun.map(\.place) == whole.wouldRun.map(\.place))
                compared += 1
            }
            await #expect(throws: StoreError.pruned(base: base)) { try await history.whatIf(WhatIfQuery([.skip(base...base)])) }
        }
        #expect(compared > 150)
    }

    @Test func `a what-if query without edits changes nothing`() async throws {
        let story = try await Story.random(5, records: 40)
        let answer = try await story.history.whatIf(WhatIfQuery([]))
        #expect(answer.changes == [])
        #expect(answer.state == story.store.present.state)
        #expect(answer.from == story.log.head.sequence)
    }
}
