import ActionCoding
import Reducing

/// The past states that were asked for last.
struct PastCache<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    // The last one is the one that was used last.
    private var pasts: [Past<App>] = []
    /// Counts the times that records were changed under the states.
    private(set) var generation = 0

    /// The one at or before a sequence that is closest to it.
    mutating func nearest(through sequence: UInt64) -> Past<App>? {
        let candidates = pasts.indices.filter { pasts[$0].sequence <= sequence }
        guard let index = candidates.max(by: { pasts[$0].sequence < pasts[$1].sequence }) else { return nil }
        let past = pasts.remove(at: index)
        pasts.append(past)
        return past
    }

    /// Keeps one; those that were not used for longest go.
    mutating func keep(_ past: Past<App>) {
        pasts.removeAll { $0.sequence == past.sequence }
        pasts.append(past)
        while pasts.count > TravelLimits.pastsMax || pasts.reduce(0, { $0 + $1.bytes }) > TravelLimits.pastBytesMax {
            pasts.removeFirst()
        }
    }

    mutating func removeAll() {
        pasts = []
        generation += 1
    }

    /// Keeps one that was folded since a generation, unless records were changed under it meanwhile.
    mutating func keep(_ past: Past<App>, of generation: Int) {
        if generation == self.generation { keep(past) }
    }

    var sequences: [UInt64] { pasts.map(\.sequence) }
}
