import Chronicle
import TodoAPI
import TodoClient
import Varlink

/// Something that the screen wants the shell to do.
///
/// None of it is waited for: what comes of it are events.
enum ScreenRequest: Equatable {
    /// Calls the daemon; the replies come with this tag. A tag that is on its way already is forgotten first.
    case call(RequestTag, ScreenCall)
    /// Forgets a call: no reply to it comes any more. What the daemon was asked to do it does all the same.
    case forget(RequestTag)
    /// Connects, after so many microseconds: `connected` or `away` follows.
    case connect(after: Int64)
    /// Hands a text to the person's editor, in place of the screen; `edited` follows.
    case edit(RequestTag, String)
    /// Keeps a text that could not be written in a file, so that it is not lost; `failed` follows, with why it was not written and where it is.
    case keep(String, why: String)
    /// Gives the terminal back and stops the program, until the shell lets it go on; `resumed` follows.
    case suspend
    /// Draws everything anew, whatever the terminal shows.
    case redraw
    /// Ends the screen.
    case end
}

/// Whose call a reply answers.
struct RequestTag: Hashable {
    /// The part of the screen that asks.
    enum Part: Hashable {
        /// The todos, and everything that is dispatched for them.
        case list
        /// The other tabs.
        case tabs
        /// The strip of time, and what belongs to the past.
        case time
    }

    var part: Part
    /// Which of its calls; each part counts its own, or gives each purpose a number.
    var number: Int

    init(_ part: Part, _ number: Int) { (self.part, self.number) = (part, number) }
}

/// A call of the daemon, as it is written.
struct ScreenCall: Equatable {
    /// Which connection it goes over: on each, calls are answered in their order.
    enum Lane: Hashable {
        /// Changes, and what is known at once.
        case quick
        /// Questions about the list that may take a while.
        case questions
        /// Questions about the past.
        case past
        /// One of its own, which ends with the call: for what streams without an end.
        case own
    }

    /// The full name of the method.
    let method: String
    let lane: Lane
    /// The frame, with its NUL.
    let frame: [UInt8]

    /// A call of a method; with `more` it may have several replies.
    init<M: Method>(_ method: M.Type, _ input: M.Input, over lane: Lane, more: Bool = false) {
        (self.method, self.lane) = (M.name, lane)
        frame = M.frame(input, more: more)
    }

    /// A call of a method that every service has, or of one whose interface is not known here.
    init(_ method: String, _ parameters: Value = [:], over lane: Lane) {
        (self.method, self.lane) = (method, lane)
        frame = Call.frame(method, parameters: parameters.jsonBytes)
    }

}
