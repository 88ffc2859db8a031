import ActionCoding
import ActionLogs
import Reducing

/// The past states that were asked for last.
struct PastCache<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    // The last one is the one that was used last.
    private var pasts: [Past<App>] = []

    /// The one at or before a sequence that is closest to it, of those that nothing was taken out of since.
    mutating func nearest(through sequence: UInt64, after redactions: Redactions) -> Past<App>? {
        pasts.removeAll { !redactions.leave($0.sequence, foldedAfter: $0.redactions) }
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

    mutating func removeAll() { pasts = [] }

    var sequences: [UInt64] { pasts.map(\.sequence) }
}
