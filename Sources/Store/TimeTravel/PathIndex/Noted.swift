import Chronicle
import ChronicleLog

/// Index progress: the last indexed record, and the run being written.
struct Noted<App: Feature>: Sendable where App.State: CanonicalCodable, App.Action: CanonicalCodable {
    /// The state after the last indexed record.
    var past: PastState<App>
    var places: PathIndexRun
    /// The end of the index that is saved.
    var placesLeft: UInt64

    /// The indexed records of this run; `nil` if empty, or after a redaction.
    func range(after redactions: UInt64) -> ClosedRange<UInt64>? {
        guard places.summary.redactions == redactions, places.summary.from <= places.summary.last else { return nil }
        return places.summary.from...places.summary.last
    }

    /// Whether to save the index: an eighth of it is unsaved.
    var arePlacesDue: Bool {
        let last = places.summary.last
        return last > placesLeft && (last - placesLeft) * 8 >= last - min(last, places.summary.from - 1)
    }
}
