import Chronicle
import Terminal
import TodoAPI
import TodoClient
import Varlink

/// Something that the screen is told.
///
/// Events come one after another, each with the time known from the last `clock`; of several that are there at once the clock is told first.
enum ScreenEvent {
    /// The wall clock, in microseconds since 1970; told before what happens at that time, and when `ScreenModel.wake` has come.
    case clock(Int64)
    /// The person pressed a key, pasted or used the mouse.
    case key(ScreenKey)
    /// The terminal has this size.
    case size(ScreenSize)
    /// What came of a call; of a stream each reply, the last of which does not continue.
    case reply(RequestTag, ScreenReply)
    /// The daemon answers; what is wanted of it has to be asked for, also what was asked before it went away.
    case connected
    /// The daemon can't be reached, or closed a connection. All calls are forgotten: no reply to any of them comes any more.
    case away(Failure)
    /// The daemon owes an answer for so long that a person should know; what was asked goes on waiting.
    case silent(Failure)
    /// After that, something came.
    case heard
    /// The editor of the person has ended, with the text, or without because it failed or nothing was changed.
    case edited(RequestTag, String?)
    /// Something went wrong that a person should be told.
    case failed(Failure)
    /// The program goes on after it was suspended: nothing is known of what the terminal shows.
    case resumed
}

/// Columns and rows of the terminal.
typealias ScreenSize = Size

/// One reply to a call.
struct ScreenReply {
    /// What it says, or why the daemon refuses.
    var result: Result<[Value.Field], Failure>
    /// Whether more replies to the same call follow.
    var continues = false

    /// The reply of a method as its interface describes it.
    ///
    /// - Throws: what the daemon refused with; and where the reply has another shape.
    func output<M: Method>(_ method: M.Type) throws(Failure) -> M.Output {
        let members = try result.get()
        do throws(VarlinkClientError) { return try M.output(members) } catch {
            throw Failure(error, socket: "the daemon's socket")
        }
    }
}
