/// The part of a filter that needs no daemon: words, tags and ids, or the ids that the daemon found.
indirect enum LocalFilter: Equatable {
    /// In title or note; folded.
    case word([UInt8])
    /// A tag or a parent of one; folded, after a zero byte.
    case tag([UInt8])
    case ids([ClosedRange<Int64>])
    case found(Set<Int64>)
    case not(LocalFilter)
    case all([LocalFilter])
    case any([LocalFilter])

    /// `nil` if only the daemon can evaluate the condition.
    init?(_ condition: FilterCondition) {
        switch condition {
        case .term(let term):
            switch term.meaning {
            case .word(let word): self = .word(FoldedText.fold(word))
            case .tags(let tags): self = .all(tags.map { .tag(FoldedText.fold("\0" + $0)) })
            case .ids(let ranges): self = .ids(ranges)
            case .other: return nil
            }
        case .not(let condition):
            guard let inner = LocalFilter(condition) else { return nil }
            self = .not(inner)
        case .all(let conditions):
            guard let parts = Self.parts(conditions) else { return nil }
            self = .all(parts)
        case .any(let conditions):
            guard let parts = Self.parts(conditions) else { return nil }
            self = .any(parts)
        }
    }

    private static func parts(_ conditions: [FilterCondition]) -> [LocalFilter]? {
        let parts = conditions.compactMap(LocalFilter.init)
        return parts.count == conditions.count ? parts : nil
    }

    func matches(_ id: Int64, _ text: FoldedText) -> Bool {
        switch self {
        case .word(let word): text.contains(word)
        case .tag(let tag): text.hasTag(tag)
        case .ids(let ranges): ranges.contains { $0.contains(id) }
        case .found(let ids): ids.contains(id)
        case .not(let part): !part.matches(id, text)
        case .all(let parts): parts.allSatisfy { $0.matches(id, text) }
        case .any(let parts): parts.contains { $0.matches(id, text) }
        }
    }

    /// Whether every match also matches the other filter, so that only its matches need a check.
    func isNarrower(than other: LocalFilter) -> Bool {
        let (parts, others) = (conjunction, other.conjunction)
        guard parts.count >= others.count else { return false }
        return zip(others, parts).allSatisfy { before, now in
            switch (before, now) {
            case (.word(let before), .word(let now)): now.starts(with: before)
            default: before == now
            }
        }
    }

    private var conjunction: [LocalFilter] { if case .all(let parts) = self { parts } else { [self] } }
}
