import TodoAPI
import TodoClient
import Varlink

/// One reply to a call of a method.
final class Answer<M: Method> {
    /// As it came, which is what `--json` prints: a newer daemon may say more than the interface here.
    let members: [Value.Field]
    private let socket: String
    private var read: M.Output?

    init(_ members: [Value.Field], from socket: String) {
        self.members = members
        self.socket = socket
    }

    /// As the interface describes it; read when somebody looks.
    func output() throws(Failure) -> M.Output {
        if let read { return read }
        do throws(VarlinkClientError) {
            let output = try M.output(members)
            read = output
            return output
        } catch {
            throw Failure(error, socket: socket)
        }
    }
}

extension Client {
    /// Calls a method, and gives its answer.
    func call<M: Method>(_ method: M.Type, _ input: M.Input) throws(Failure) -> M.Output {
        try ask(method, input).output()
    }

    /// Calls a method, and gives its answer as it came.
    func ask<M: Method>(_ method: M.Type, _ input: M.Input, ifLost question: String? = nil) throws(Failure) -> Answer<M> {
        Answer(try call(M.frame(input), ifLost: question), from: socket)
    }

    /// Calls a method with `more`, and hands over every reply until `take` says that it has enough.
    func stream<M: Method>(
        _ method: M.Type, _ input: M.Input, isLive: Bool = false, ifLost question: String? = nil,
        _ take: (Answer<M>) throws(Failure) -> Demand
    ) throws(Failure) {
        try stream(M.frame(input, more: true), isLive: isLive, ifLost: question) { members throws(Failure) in
            try take(Answer(members, from: socket))
        }
    }

    /// Calls a method with `more`, and goes on after the daemon was away; `input` is made anew each time.
    func follow<M: Method>(
        _ method: M.Type, _ input: () -> M.Input, isLive: Bool = false, _ take: (Answer<M>) throws(Failure) -> Demand
    ) throws(Failure) {
        try follow({ M.frame(input(), more: true) }, isLive: isLive) { members throws(Failure) in
            try take(Answer(members, from: socket))
        }
    }
}
