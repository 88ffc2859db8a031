extension DispatchHistory {
    /// The contradictions between this history and the final log; empty if it is linearizable.
    public func contradictions(with log: [LoggedRecord]) -> [Contradiction] {
        // If records are missing or out of order, their positions say nothing more.
        for (index, record) in log.enumerated() where record.sequence != Int64(index + 1) {
            return [.gap(at: Int64(index + 1))]
        }
        var places: [String: [Int64]] = [:]
        for record in log { if let key = record.key { places[key, default: []].append(record.sequence) } }

        var found: [Contradiction] = []
        var moments: [Moment] = []
        for dispatch in dispatches {
            let logged = places.removeValue(forKey: dispatch.key) ?? []
            found += dispatch.contradictions(with: logged)
            if let first = logged.first, let moment = dispatch.moment(at: first) { moments.append(moment) }
        }
        found += places.keys.sorted().map { .unasked(key: $0) }
        found += Self.reversals(moments)

        let calls = Self.calls(moments, log)
        for dispatch in dispatches { found += dispatch.falseRefusals(calls: calls) }
        var totals: [Int64] = [0]
        for record in log { totals.append((totals.last ?? 0) + record.amount) }
        for read in reads { if let wrong = read.contradiction(totals: totals, calls: calls) { found.append(wrong) } }
        for term in terms where term.behind < term.through && term.through <= Int64(log.count) {
            let stray = log[Int(term.behind)..<Int(term.through)].filter { $0.runner ?? term.node != term.node }
            found += stray.map { .strayRunner($0, while: term.node) }
        }
        for (index, records) in told.enumerated() where records != log {
            let place = zip(records, log).enumerated().first { $1.0 != $1.1 }?.offset ?? min(records.count, log.count)
            found.append(.toldOtherwise(subscriber: index, at: Int64(place + 1)))
        }
        return found
    }

    /// Pairs of dispatches whose order in the log contradicts their order in time, one for each dispatch with such a partner.
    ///
    /// Of all dispatches that were answered before a call, only the last one in the log matters.
    private static func reversals(_ moments: [Moment]) -> [Contradiction] {
        let answered = moments.filter { $0.latest != nil }.sorted { ($0.latest ?? 0) < ($1.latest ?? 0) }
        var (next, last): (Int, Moment?) = (0, nil)
        var found: [Contradiction] = []
        for moment in moments.sorted(by: { $0.earliest < $1.earliest }) {
            while next < answered.count, let latest = answered[next].latest, latest < moment.earliest {
                if answered[next].sequence > last?.sequence ?? 0 { last = answered[next] }
                next += 1
            }
            if let last, last.sequence > moment.sequence {
                found.append(.reversed(key: last.key, sequence: last.sequence, behind: moment.key, moment.sequence))
            }
        }
        return found
    }

    /// For each length of the log, the earliest time at which it can have had that length.
    private static func calls(_ moments: [Moment], _ log: [LoggedRecord]) -> [Int64] {
        var calls = [Int64](repeating: .min, count: log.count + 1)
        for moment in moments { calls[Int(moment.sequence)] = moment.earliest }
        for index in calls.indices.dropFirst() { calls[index] = max(calls[index], calls[index - 1]) }
        return calls
    }
}

/// The interval in which a dispatch took effect.
private struct Moment {
    var key: String
    var sequence: Int64
    var earliest: Int64
    /// `nil`: never answered, so it may have taken effect arbitrarily late.
    var latest: Int64?
}

extension SeenDispatch {
    private var acknowledgements: [(index: Int, sequences: [Int64], isDuplicate: Bool)] {
        attempts.enumerated().compactMap { index, attempt in
            guard case .acknowledged(let sequences, let isDuplicate) = attempt.outcome else { return nil }
            return (index, sequences, isDuplicate)
        }
    }

    /// The attempts that may have logged it.
    private var effective: ArraySlice<Attempt> {
        guard let first = acknowledgements.first else { return attempts.filter { $0.outcome == .unknown }[...] }
        if !first.isDuplicate { return attempts[first.index...first.index] }
        return attempts[..<first.index].filter { $0.outcome == .unknown }[...]
    }

    fileprivate func moment(at sequence: Int64) -> Moment? {
        guard let earliest = effective.map(\.asked).min() else { return nil }
        return Moment(
            key: key, sequence: sequence, earliest: earliest,
            latest: acknowledgements.first.map { attempts[$0.index].answered })
    }

    /// The contradictions of this dispatch, given its records.
    fileprivate func contradictions(with logged: [Int64]) -> [Contradiction] {
        guard let first = logged.first else {
            return acknowledgements.first.map { [.lost(key: key, $0.sequences)] } ?? []
        }
        var found: [Contradiction] = []
        if logged != (0..<Int64(count)).map({ first + $0 }) { found.append(.doubled(key: key, logged)) }
        if let told = acknowledgements.first(where: { $0.sequences != logged }) {
            found.append(.moved(key: key, told: told.sequences, logged: logged))
        }
        if effective.isEmpty { found.append(acknowledgements.isEmpty ? .refusedAndLogged(key: key) : .knownBefore(key: key)) }
        if let expected, first != expected + 1 { found.append(.misplaced(key: key, expected: expected, sequence: first)) }
        return found
    }

    /// Refusals for reasons that had not occurred.
    fileprivate func falseRefusals(calls: [Int64]) -> [Contradiction] {
        attempts.compactMap { attempt in
            guard case .stale(let sequence) = attempt.outcome, let expected else { return nil }
            let isTrue = sequence > expected && sequence < calls.count && calls[Int(sequence)] < attempt.answered
            return isTrue ? nil : .falselyStale(key: key, expected: expected, said: sequence)
        }
    }
}

extension SeenRead {
    fileprivate func contradiction(totals: [Int64], calls: [Int64]) -> Contradiction? {
        guard sequence >= minimum, totals.indices.contains(Int(sequence)) else { return .readElsewhere(self) }
        if calls[Int(sequence)] > answered { return .readTooSoon(self) }
        let expected = totals[Int(sequence)]
        return total == expected ? nil : .readOtherwise(self, total: expected)
    }
}
