import Reducing
import StoreRuntime
import TimeTravel
import TodoAPI

/// A state to be shown: the newest one, or that of a moment which was asked for.
struct Sight<App: DaemonApp>: Sendable {
    var epoch: UInt64
    var sequence: UInt64
    var state: App.State
    /// The time of its record and how many records were folded to know it; not of the newest state.
    var past: (time: Int64, folded: UInt64)?
}

extension DaemonService {
    /// What is to be seen at a moment; without one, now.
    func sight(at point: TodoAPI.Point?) async throws -> Sight<App> {
        let present = store.present
        guard let moment = try point?.moment("at") else {
            return Sight(epoch: present.epoch, sequence: present.sequence, state: present.state)
        }
        let past = try await timeline.state(at: moment)
        return Sight(epoch: present.epoch, sequence: past.sequence, state: past.state, past: (past.time, past.folded))
    }
}

extension GetStateMethod.Output {
    init(_ sight: Sight<some DaemonApp>, _ state: Value, count: Int? = nil) {
        self.init(
            epoch: sight.epoch, sequence: sight.sequence, state: state, time: sight.past?.time, folded: sight.past?.folded,
            count: count.map { UInt64($0) })
    }
}

extension ViewMethod.Output {
    init(_ sight: Sight<some DaemonApp>, _ view: Value) {
        self.init(epoch: sight.epoch, sequence: sight.sequence, view: view, time: sight.past?.time, folded: sight.past?.folded)
    }
}
