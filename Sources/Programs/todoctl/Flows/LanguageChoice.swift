import Chronicle
import Glibc
import Terminal
import TodoAPI

final class LanguageChoice {
    private let session: Session
    // Answers use a second connection because the first one streams.
    private let answers: Client
    private let flow: Int64
    private var options: [String]
    private var epoch: UInt64
    private var next: UInt64
    private var lines: Lines?
    // The terminal and its content, if keys are used.
    private var screen: LiveScreen?
    private var menu = Menu([])
    private var isAway = false

    private static let kind = "language"

    init(_ session: Session, within seconds: Int64? = nil) throws(Failure) {
        self.session = session
        answers = try session.client.another()
        let kind: Value = .text(LanguageChoice.kind)
        let start = FeatureAction.make("flows", "start", seconds.map { ["kind": kind, "seconds": .int($0)] } ?? ["kind": kind])
        let begun = try session.dispatch([start])
        guard let flow = begun.ids.first ?? begun.existing?.first else {
            throw Failure(.unreachable, "The daemon did not say which question it asks.")
        }
        self.flow = Int64(clamping: flow)
        if begun.commandsHeld == true, !session.isJSON { Output.complain(CommandNotice.held) }
        let page = try session.whole("flows.items", atLeast: begun.sequences.last)
        options = LanguageChoice.options(LanguageChoice.open(in: page))
        epoch = begun.epoch
        next = (begun.sequences.first ?? page.sequence) + 1
    }

    /// Checks that the language exists without changing anything.
    static func check(_ language: String, _ session: Session) throws(Failure) {
        let browse = FeatureAction.make("repositories", "browse", ["language": .text(language)])
        _ = try session.client.call(DispatchMethod.self, .init(actions: [browse], dryRun: true))
    }

    static func cancel(_ session: Session) throws(Failure) -> Failure {
        guard let flow = open(in: try session.whole("flows.items"))?["id"]?.int else {
            return Failure(.refused, "No question for a language is open; nothing was changed.")
        }
        _ = try session.dispatch([FeatureAction.make("flows", "cancel", ["id": .int(flow)])])
        return cancelled
    }

    private static let cancelled = Failure(.refused, "The question for a language was cancelled; the language is unchanged.")

    private static let timedOut = Failure(
        .tryAgain, "The question for a language timed out; the language is unchanged.")

    private static func open(in page: StatePage) -> Value? {
        page.state["flows"]?["items"]?.list?.first { $0["kind"]?.text == kind }
    }

    private static func options(_ question: Value?) -> [String] { (question?["options"]?.list ?? []).compactMap(\.text) }

    func answer(_ text: String) throws(Failure) {
        let answer = FeatureAction.make("flows", "answer", ["id": .int(flow), "text": .text(text)])
        _ = try session.dispatch([answer], over: answers)
    }

    func announce() {
        Output.note(
            "It waits for an answer: todoctl flow answer \(flow) NAME\nCtrl-C ends the waiting; the question stays open.\n")
    }

    /// Shows the languages and accepts input while waiting: keys on a capable terminal, otherwise lines.
    func offer() {
        // No key ends the wait by itself: the question is cancelled, which everybody who waits is told.
        screen = LiveScreen.open(endingWith: [])
        if let screen {
            screen.redraw = { [unowned self] in draw() }
            for client in [session.client, answers] { screen.watch(client) }
            // Messages about the daemon are part of the menu, so that the next drawing does not leave them on the screen.
            session.client.onPresenceChange = { [self] isThere in
                isAway = !isThere
                draw()
            }
        } else {
            lines = Lines()
        }
        show()
        session.client.whileWaiting = { [self] descriptor throws(Failure) in
            if let screen { try takeKeys(on: screen, until: descriptor) } else { try takeLines(until: descriptor) }
        }
    }

    /// Waits for the answer, also over restarts of the daemon, and prints the language.
    func finish() throws(Failure) {
        var language: String?
        var step: UInt64?
        var last: Answer<SubscribeMethod>?
        let input = { [self] in
            SubscribeMethod.Input(scope: "flows", from: Point(sequence: next), kind: "records", epoch: epoch)
        }
        do throws(Failure) {
            try session.client.follow(SubscribeMethod.self, input, isLive: true) { [self] answer throws(Failure) in
                let reply = try answer.output()
                next = reply.sequence + 1
                for record in reply.records {
                    let action = record.action?["flows"]
                    if let offered = action?["offered"], offered["id"]?.int == flow { take(offered) }
                    if action?["timedOut"]?["id"]?.int == flow { throw LanguageChoice.timedOut }
                    guard let ended = action?["ended"], ended["id"]?.int == flow else { continue }
                    language = ended["result"]?.text
                    // No undo hint for a step of another user.
                    step = record.origin == getuid() ? record.step : nil
                    last = answer
                    return .enough
                }
                return .more
            }
        } catch {
            screen = nil
            throw FollowState.explained(error, "To see whether the question is still open: todoctl flow list")
        }
        screen = nil
        guard let language, let last else { throw LanguageChoice.cancelled }
        try session.show(last) { _ in [Visible.text(language)] + session.undoHint(step) }
    }

    private func take(_ offered: Value) {
        options = LanguageChoice.options(offered)
        if lines != nil || screen != nil { show() }
    }

    private func show() {
        guard screen == nil else {
            menu.offer(options)
            return draw()
        }
        for (index, name) in options.enumerated() { session.output.line("\(index + 1)  \(Visible.text(name))") }
        session.output.flush()
        Output.note("Which one? A number or a name; an empty line cancels: ")
    }

    // Waits for input and for the daemon at the same time.
    private func takeLines(until descriptor: Int32) throws(Failure) {
        while true {
            var polled = [descriptor, lines == nil ? -1 : 0].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&polled, nfds_t(polled.count), -1)
            if count < 0, errno == EINTR { continue }
            if count < 0 || polled[0].revents != 0 { return }
            try takeLine()
        }
    }

    private func takeKeys(on screen: LiveScreen, until descriptor: Int32) throws(Failure) {
        var isAnswered: Bool
        repeat {
            isAnswered = try screen.wait(on: descriptor)
            for key in screen.keys().compactMap(MenuKey.init) {
                switch menu.press(key) {
                case .chosen(let place): try send(options[place])
                case .cancelled: try send("")
                case nil: break
                }
            }
            draw()
        } while !isAnswered
    }

    private func draw() {
        guard let screen else { return }
        let heading = isAway ? "The daemon is away; Ctrl-C ends the waiting." : "Which language?"
        let lines = [heading] + menu.lines(atMost: screen.size.rows - 2) + ["↑ ↓ or a number, Enter; Esc cancels."]
        screen.show(lines.map { [PaintedText(Width.cut($0, to: screen.size.columns))] })
    }

    private func takeLine() throws(Failure) {
        let line = try lines?.next()?.text ?? ""
        let text = line.trimmed
        if text.isEmpty { lines = nil }
        let number = Int(text).flatMap { options.indices.contains($0 - 1) ? options[$0 - 1] : nil }
        try send(number ?? text)
    }

    /// Answers the question; an empty text cancels it.
    private func send(_ text: String) throws(Failure) {
        do throws(Failure) {
            guard !text.isEmpty else {
                _ = try session.dispatch([FeatureAction.make("flows", "cancel", ["id": .int(flow)])], over: answers)
                return
            }
            try answer(text)
        } catch {
            switch error.refusal?.name {
            // Another user answered first. The stream brings that answer.
            case "Flows.UnknownFlow": return
            case "Flows.UnknownAnswer", "Flows.AnswerTooLong": Output.note(error.message + "\nWhich one? ")
            default: throw error
            }
        }
    }
}
