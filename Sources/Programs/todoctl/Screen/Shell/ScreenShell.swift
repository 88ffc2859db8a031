import ArgumentParser
import Dates
import Glibc
import Terminal

/// Runs the screen on a terminal: waits for input, replies and times, updates the model, executes its requests and draws.
///
/// The model makes all decisions.
final class ScreenShell {
    /// Minimum time between redraws without a key, in microseconds.
    private static let drawingPause: Int64 = 15_000

    private var terminal: TerminalScreen
    private var model: ScreenModel
    private var connections: ScreenConnections
    private var drawnAt: Int64 = 0
    private var isChanged = true
    private var connectAt: Int64?
    private var isEnded = false
    private var events: [ScreenEvent] = []

    init(_ terminal: consuming TerminalScreen, _ model: ScreenModel, _ connections: ScreenConnections) {
        self.terminal = terminal
        (self.model, self.connections) = (model, connections)
    }

    /// Returns when the user ends the screen, or the terminal is gone.
    func run() {
        perform(model.start())
        while !isEnded {
            draw()
            let (readable, writable) = wait()
            var events = self.events
            self.events = []
            events.insert(.clock(Clock.now()), at: 0)
            guard let keys = readable.contains(terminal.descriptor) ? terminal.keys() : [] else { return }
            if !keys.isEmpty { drawnAt = 0 }
            for key in keys {
                if case .resize(let size) = key { events.append(.size(size)) } else { events.append(.key(key)) }
            }
            if let at = connectAt, at <= Clock.uptime() {
                connectAt = nil
                events.append(connections.connect())
            }
            if let event = connections.send(writable: writable) { events.append(event) }
            events += connections.take(readable: readable) + connections.checkSilence()
            isChanged = true
            perform(model.update(all: events))
        }
    }

    private func perform(_ requests: [ScreenRequest]) {
        for request in requests {
            switch request {
            case .call(let tag, let call): if let event = connections.call(tag, call) { events.append(event) }
            case .forget(let tag): connections.forget(tag)
            case .connect(let pause): connectAt = Clock.uptime() + pause
            case .edit(let tag, let text): edit(tag, text)
            case .keep(let text, let why): events.append(.failed(saved(text, why)))
            case .suspend:
                if case .resize(let size) = terminal.stop() { events.append(.size(size)) }
                events.append(.resumed)
            // Restoring and taking the terminal forces a complete redraw.
            case .redraw: terminal.withTerminalRestored {}
            case .end: isEnded = true
            }
        }
    }

    private func draw() {
        guard isChanged, Clock.uptime() - drawnAt >= Self.drawingPause else { return }
        terminal.show(model.render())
        drawnAt = Clock.uptime()
        isChanged = false
    }

    private func wait() -> (readable: Set<Int32>, writable: Set<Int32>) {
        var polled = ([(descriptor: terminal.descriptor, events: POLLIN)] + connections.polled).map { descriptor, events in
            pollfd(fd: descriptor, events: Int16(events), revents: 0)
        }
        var pause = model.wake.map { max($0 - Clock.now(), 0) } ?? 60_000_000
        if let at = connectAt { pause = min(pause, max(at - Clock.uptime(), 0)) }
        if let at = connections.checkSilenceAt { pause = min(pause, max(at - Clock.uptime(), 0)) }
        if isChanged { pause = min(pause, max(drawnAt + Self.drawingPause - Clock.uptime(), 0)) }
        if !events.isEmpty || connections.hasReply { pause = 0 }
        let milliseconds = Int32(clamping: (pause + 999) / 1000)
        guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return ([], []) }
        func descriptors(_ isMeant: (Int32) -> Bool) -> Set<Int32> {
            Set(polled.filter { isMeant(Int32($0.revents)) }.map(\.fd))
        }
        return (descriptors { $0 & ~POLLOUT != 0 }, descriptors { $0 & POLLOUT != 0 })
    }

    private func saved(_ text: String, _ why: String) -> Failure {
        do throws(Failure) {
            let draft = try DraftFile(NoteVerb.shown(text), name: "note.txt")
            draft.isKept = true
            return Failure(.refused, "Your text is in \(Visible.text(draft.path)) now. \(why)")
        } catch { return Failure(.refused, "\(why) Your text could not be kept: \(error.message)") }
    }

    private func edit(_ tag: RequestTag, _ text: String) {
        var written: String?
        do throws(Failure) {
            written = try terminal.withTerminalRestored { () throws(Failure) in
                let draft = try DraftFile(NoteVerb.shown(text), name: "note.txt")
                try draft.edit()
                return NoteVerb.written(try draft.text(), instead: text)
            }
        } catch { events.append(.failed(error)) }
        events += [.size(terminal.size), .edited(tag, written)]
    }
}

struct ScreenVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "Show the todos, and all else, on a screen that stays; also todoctl without a verb, on a terminal.",
        discussion: """
            EXAMPLES:
              todoctl screen
              todoctl
              todoctl --socket /run/todod/org.todod screen

            ? shows every key, q ends it. Below the list is the log as a strip of time: left and right go back in it, and the past is
            shown in its frame; looking at it changes nothing. NO_COLOR takes the colours away. When the daemon goes away that is said,
            what was typed stays, and it goes on when the daemon is back.
            """)

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    func run() throws { try Self.run(socket: socket) }

    /// Shows the screen until the user ends it.
    ///
    /// - Throws: if there is no terminal that can position the cursor.
    static func run(socket: String?) throws(Failure) {
        let search = try SocketSearch(option: socket)
        let context = ScreenModel.Context(
            zone: .user, weekBegin: Settings.user.weekBegin, random: .random(in: 0 ... .max), weights: Settings.user.file.weights,
            uid: getuid())
        let sort = Settings.user.order(option: nil)
        let terminal: TerminalScreen
        do throws(TerminalError) {
            terminal = try .ofUser(for: .keysAndMouse)
        } catch {
            throw Failure(.usage, "\(error.message)\nTo list the todos: todoctl list")
        }
        let model = ScreenModel(context, size: terminal.size, now: Clock.now(), sort: sort == .list ? .due : sort)
        ScreenShell(terminal, model, ScreenConnections(search.place)).run()
    }
}

extension TerminalError {
    fileprivate var message: String {
        switch self {
        case .noTerminal: "The screen needs a terminal."
        case .unknown(let name): "Nothing is known about the terminal “\(Visible.text(name))”: set TERM."
        case .unable(let name): "On the terminal “\(Visible.text(name))” there is no screen to draw on."
        case .system(let number): "The terminal can't be used: \(String(cString: strerror(number)))."
        }
    }
}
