/// Tells how far a long fold is, at most once a second, so that the service manager lets it finish.
struct FoldProgress: Sendable {
    /// The time that each word of progress asks for.
    static let extensionPerLine = Duration.seconds(60)

    private let last: UInt64
    private var told: ContinuousClock.Instant

    /// Begins a fold that ends at a sequence.
    init(last: UInt64, now: ContinuousClock.Instant) {
        self.last = last
        told = now
    }

    /// What to say after a sequence was folded; nil when the last word is less than a second old.
    mutating func line(after sequence: UInt64, now: ContinuousClock.Instant) -> String? {
        guard now - told >= .seconds(1) else { return nil }
        told = now
        // In hundredths first, so that a log of any length keeps within the numbers.
        let percent = last < 100 ? 100 : min(sequence / (last / 100), 100)
        return "Folding the log: \(sequence) of \(last) (\(percent) %)"
    }
}
