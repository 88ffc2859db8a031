import Chronicle
import TodoAPI
import TodoClient
import Varlink

final class Answer<M: Method> {
    /// The raw members, for `--json`: a newer daemon may return more than this interface.
    let members: [Value.Field]
    private let socket: String
    private var read: M.Output?

    init(_ members: [Value.Field], from socket: String) {
        self.members = members
        self.socket = socket
    }

    /// The decoded reply, cached.
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
    func call<M: Method>(_ method: M.Type, _ input: M.Input) throws(Failure) -> M.Output {
        try ask(method, input).output()
    }

    /// Calls a method and returns the reply without decoding it.
    func ask<M: Method>(_ method: M.Type, _ input: M.Input, ifLost question: String? = nil) throws(Failure) -> Answer<M> {
        Answer(try call(M.frame(input), ifLost: question), from: socket)
    }

    /// Calls a method with `more` and passes each reply to `take`, until it returns `.enough`.
    func stream<M: Method>(
        _ method: M.Type, _ input: M.Input, isLive: Bool = false, ifLost question: String? = nil,
        _ take: (Answer<M>) throws(Failure) -> Demand
    ) throws(Failure) {
        try stream(M.frame(input, more: true), isLive: isLive, ifLost: question) { members throws(Failure) in
            try take(Answer(members, from: socket))
        }
    }

    /// Calls a method with `more`, and calls it again after the daemon was away, each time with a new `input`.
    func follow<M: Method>(
        _ method: M.Type, _ input: () -> M.Input, isLive: Bool = false, _ take: (Answer<M>) throws(Failure) -> Demand
    ) throws(Failure) {
        try follow({ M.frame(input(), more: true) }, isLive: isLive) { members throws(Failure) in
            try take(Answer(members, from: socket))
        }
    }
}

/// One page of a state.
typealias StatePage = GetStateMethod.Output

extension StatePage {
    var todos: [Value] { state["todos"]?["items"]?.list ?? [] }
}

extension Value {
    /// The number of elements in its lists, including nested records.
    var elementCount: Int {
        switch self {
        case .list(let elements): elements.count
        case .record(let fields): fields.reduce(0) { $0 + $1.value.elementCount }
        default: 0
        }
    }

    /// Appends the list elements of another page in place.
    mutating func append(page: Value) {
        // `self` releases its elements first, so that they are not copied.
        if case .list(let more) = page, case .list(var elements) = self {
            self = .null
            elements.append(contentsOf: more)
            self = .list(elements)
        } else if case .record(let more) = page, case .record(var fields) = self {
            self = .null
            for field in more {
                if let index = fields.firstIndex(where: { $0.name.hasSameBytes(as: field.name) }) {
                    fields[index].value.append(page: field.value)
                } else {
                    fields.append(field)
                }
            }
            self = .record(fields)
        } else {
            self = page
        }
    }
}
