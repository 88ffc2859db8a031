internal import Varlink

/// A call whose frame is read, and which is started, on the thread for large frames.
struct LargeCall: Sendable {
    let frame: LargeFrame
    let reply: ReplyHandle

    /// Tells the event loop first what is asked, then that it is begun: what the call ends with comes between or after that.
    func start(by handler: any VarlinkHandler, _ service: ServiceDescription) {
        let request: ConnectionState.Request
        do {
            request = try frame.request()
        } catch {
            return reply.mailbox.post(.large(reply.connection, frame.id, .refused(error)))
        }
        switch request {
        case .read(let input):
            handler.handle(read: input, from: reply.peer, reply: reply)
        case .call(let call):
            reply.mailbox.post(.large(reply.connection, frame.id, .read(call.withoutParameters)))
            handler.take(call, of: service, from: reply.peer, reply: reply.taking(more: call.more))
        }
        reply.mailbox.post(.large(reply.connection, frame.id, .begun))
    }
}

extension Call {
    fileprivate var withoutParameters: Call { Call(method, more: more, oneway: oneway, upgrade: upgrade) }
}
