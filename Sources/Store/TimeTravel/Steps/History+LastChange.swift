import Expressions
import Records
import Reducing
import StoreRuntime

/// What gave a place its value last, of what stands.
struct PlaceChange {
    /// The step that did.
    var step: UInt64
    /// Whose step it is.
    var origin: UInt32
    /// The first of the records of the step that follow each other up to the one that did; before it the place was as nobody else left it since.
    var first: UInt64
}

extension History {
    /// What gave a place its value last and was not taken back, there or altogether.
    ///
    /// A record that put the place back left it as it was at a moment of before, so the search goes on from there.
    func lastChange(of place: Path) async throws(StoreError) -> PlaceChange {
        var through = head
        while let sequence = try await blame(place, at: .sequence(through))?.sequence {
            let record = try record(at: sequence).header
            if let moment = record.restores ?? record.undoes.map({ $0 - 1 }), moment < sequence {
                through = moment
                continue
            }
            var first = sequence
            while first > max(record.step, base.sequence + 1), try self.record(at: first - 1).header.step == record.step {
                first -= 1
            }
            return PlaceChange(step: record.step, origin: record.origin, first: first)
        }
        throw .nothingToUndo
    }
}
