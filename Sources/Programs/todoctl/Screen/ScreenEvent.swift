import Chronicle
import Terminal
import TodoAPI
import TodoClient
import Varlink

/// An input of the screen.
///
/// If several events arrive together, the clock comes first.
enum ScreenEvent {
    /// The wall clock, in microseconds since 1970.
    case clock(Int64)
    case key(ScreenKey)
    case size(Size)
    /// One reply to a call; the last reply of a stream has `continues` false.
    case reply(RequestTag, ScreenReply)
    /// The connection is established; all calls must be made again.
    case connected
    /// The daemon is unreachable or closed a connection; all calls are dropped.
    case away(Failure)
    case silent(Failure)
    /// The daemon replied after `silent`.
    case heard
    /// The editor has ended; `nil` if it failed or nothing changed.
    case edited(RequestTag, String?)
    case failed(Failure)
    /// The program continues after a stop; the terminal's content is unknown.
    case resumed
}

struct ScreenReply {
    var result: Result<[Value.Field], Failure>
    var continues = false

    func output<M: Method>(_ method: M.Type) throws(Failure) -> M.Output {
        let members = try result.get()
        do throws(VarlinkClientError) { return try M.output(members) } catch {
            throw Failure(error, socket: "the daemon's socket")
        }
    }
}
