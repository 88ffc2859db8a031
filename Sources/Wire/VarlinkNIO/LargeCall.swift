internal import Varlink

/// A call that is parsed and started on the thread for large frames.
struct LargeCall: Sendable {
    let frame: LargeFrame
    let reply: ReplyHandle

    /// Reports the call's flags to the event loop, starts the call, then reports that it was started.
    func start(by handler: any VarlinkHandler, _ service: ServiceDescription) {
        var failure: CallError?
        do {
            let request = try frame.request()
            if case .call(let call) = request {
                let (id, more, oneway) = (frame.id, call.more, call.oneway)
                reply.queue.post(.change(reply.connection) { $0.state.setFlags(of: id, more: more, oneway: oneway) })
            }
            handler.start(request, of: service, from: reply.peer, reply: reply)
        } catch {
            failure = error
        }
        reply.queue.post(.change(reply.connection) { [id = frame.id, failure] in $0.endReading(id, failure) })
    }
}

/// A queue that serves users round-robin: each waiting user gets one element before any user gets a second.
struct FairQueue<Element> {
    private var waiting: [UInt32: [Element]] = [:]
    private var users: [UInt32] = []

    mutating func add(_ element: Element, of user: UInt32) {
        if waiting[user] == nil { users.append(user) }
        waiting[user, default: []].append(element)
    }

    mutating func next() -> Element? {
        guard !users.isEmpty else { return nil }
        let user = users.removeFirst()
        let element = waiting[user]?.removeFirst()
        if waiting[user]?.isEmpty ?? true {
            waiting[user] = nil
        } else {
            users.append(user)
        }
        return element
    }
}
