import Chronicle
import Terminal
import TodoAPI
import TodoClient
import Varlink

/// A request to the shell.
///
/// Requests return at once; their results arrive as events.
enum ScreenRequest: Equatable {
    /// Calls the daemon; a pending call with the same tag is dropped first.
    case call(RequestTag, ScreenCall)
    /// Drops the replies to a call; the daemon still executes it.
    case forget(RequestTag)
    /// Connects after a delay in microseconds; `connected` or `away` follows.
    case connect(after: Int64)
    case edit(RequestTag, String)
    /// Saves an unwritten text to a file; `failed` follows with the reason and the path.
    case keep(String, why: String)
    /// Restores the terminal and stops the program; `resumed` follows.
    case suspend
    case redraw
    case end
}

struct RequestTag: Hashable {
    enum Part: Hashable {
        case list
        case tabs
        case time
    }

    var part: Part
    var number: Int

    init(_ part: Part, _ number: Int) { (self.part, self.number) = (part, number) }
}

struct ScreenCall: Equatable {
    /// The connection of a call; each connection answers calls in order.
    enum Lane: Hashable {
        /// Changes and fast queries.
        case quick
        /// Slow queries about the list.
        case questions
        /// Queries about the past.
        case past
        /// A separate connection for an endless stream.
        case own
    }

    let method: String
    let lane: Lane
    let frame: [UInt8]

    init<M: Method>(_ method: M.Type, _ input: M.Input, over lane: Lane, more: Bool = false) {
        (self.method, self.lane) = (M.name, lane)
        frame = M.frame(input, more: more)
    }

    /// A call of a method without a generated interface.
    init(_ method: String, _ parameters: Value = [:], over lane: Lane) {
        (self.method, self.lane) = (method, lane)
        frame = Call.frame(method, parameters: parameters.jsonBytes)
    }

}

/// An input of the screen.
///
/// If several events arrive together, the clock comes first.
enum ScreenEvent {
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
