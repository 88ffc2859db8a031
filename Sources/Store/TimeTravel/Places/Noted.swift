import Records
import Reducing
import Values

/// How far it is noted what each record changed, and the runs there.
struct Noted<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    /// The state after the last record that is noted.
    var past: PastState<App>
    /// What its records changed, for code that comes later.
    var checks: FoldChecks
    /// Which places they changed, for who asks.
    var places: PlaceRun
    /// How far the checks stand in a file.
    var checksLeft: UInt64
    /// How far the places do.
    var placesLeft: UInt64

    /// The records whose places are noted here; `nil` where there are none, or something was taken out of the log since.
    func range(after redactions: UInt64) -> ClosedRange<UInt64>? {
        guard places.summary.redactions == redactions, places.summary.from <= places.summary.last else { return nil }
        return places.summary.from...places.summary.last
    }

    /// Whether the places are worth a file: what is not in one yet is an eighth of them.
    var arePlacesDue: Bool {
        let last = places.summary.last
        return last > placesLeft && (last - placesLeft) * 8 >= last - min(last, places.summary.from - 1)
    }
}
