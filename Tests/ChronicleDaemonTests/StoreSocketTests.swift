import Chronicle
import ChronicleDaemon
import ChronicleStore
import Glibc
import ServiceLifecycle
import ServiceLifecycleTestKit
import TestSupport
import Testing
import TodoAPI
import TodoClient
import Varlink

/// A sum whose log does not interfere with the test.
private enum Sum: DaemonApp {
    struct State: FieldCoding {
        var total: Int64 = 0

        mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
            try fields.field(1, "total", &total, .shown)
        }
    }

    struct Action: CaseCoding {
        var amount: Int64 = 0

        static func defaultInstance(_ number: UInt32) -> Action? { number == 1 ? Action() : nil }

        consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Action {
            fields.choose(1, "add")
            try fields.field(1, "amount", &amount, .required)
            return self
        }
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        state.total &+= action.amount
        return []
    }

    static func compensatingActions(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        [Action(amount: wanted.total &- present.total)]
    }
}

/// Two sums whose children have other names than their feature.
private enum Sums: DaemonApp {
    struct State: FieldCoding {
        var first = Sum.State()
        var second = Sum.State()

        mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
            try fields.child(1, "first", Sum.self, &first)
            try fields.child(2, "second", Sum.self, &second)
        }
    }

    enum Action: CaseCoding {
        case first(Sum.Action)
        case second(Sum.Action)

        static func defaultInstance(_ number: UInt32) -> Action? {
            switch number {
            case 1: .first(Sum.Action())
            case 2: .second(Sum.Action())
            default: nil
            }
        }

        consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Action {
            switch consume self {
            case .first(var action):
                try fields.whole(1, "first", &action)
                return .first(action)
            case .second(var action):
                try fields.whole(2, "second", &action)
                return .second(action)
            }
        }
    }

    static let documentation = ["first.refusal.Refused": "No action is taken.", "second.refusal.Refused": "No action is taken."]

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        throw Refusal("Refused", of: "Sum", "no action is taken")
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] { [] }

    static func compensatingActions(from present: State, to wanted: State) throws(Refusal) -> [Action] { [] }
}

// Each test blocks a thread of the shared pool in reads, and the store's tasks need one as well.
@Suite(.serialized, .timeLimit(.minutes(15))) struct StoreSocketTests {
    private let program = Program(name: "summer", version: "2.1.0")

    /// Runs a socket during the body, then stops it.
    private func serve<App: DaemonApp>(
        _ store: Store<App>, of program: Program? = nil, at path: String, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let socket = StoreSocket(store, of: program ?? self.program, at: path)
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup { group in
                group.addTask { try await socket.run() }
                try await becomes { (try? VarlinkClient(path)) != nil }
                var failure: (any Error)?
                do { try await body() } catch { failure = error }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
                if let failure { throw failure }
            }
        }
    }

    @Test func `a socket serves the store of its program with its history and undo until it is stopped`() async throws {
        try await withTemporaryDirectory { directory in
            let (path, store) = (directory + "/new/socket", try Store<Sum>(of: program, in: nil))
            try await serve(store, at: path) {
                let client = try VarlinkClient(path)
                let actions: Value = [["add": ["amount": 5]]]
                _ = try client.call(Call("org.todod.Store.Dispatch", [Value.Field("actions", actions)]))
                #expect(store.present.state.total == 5)
                _ = try client.call(Call("org.todod.History.Undo"))
                #expect(store.present.state.total == 0 && store.present.sequence == 2)
            }
            #expect(access(path, F_OK) != 0)
            // The store belongs to the program and continues to run.
            _ = try await store.dispatch(Dispatch([Sum.Action(amount: 2)]))
            #expect(store.present.state.total == 2)
            await store.stop()
        }
    }

    @Test func `a store on disk is closed after its socket, and the next one continues its log`() async throws {
        try await withTemporaryDirectory { directory in
            for round in 1...2 as ClosedRange<Int64> {
                let store = try Store<Sum>(of: program, in: directory + "/data")
                try await serve(store, at: directory + "/socket") {
                    _ = try await store.dispatch(Dispatch([Sum.Action(amount: 1)]))
                    #expect(store.present.state.total == round)
                }
                await store.stop()
            }
        }
    }

    @Test(arguments: ["org.chronicle", "org.example.sums", "org.todod"])
    func `the interfaces have the prefix of the program, also in errors and descriptions`(prefix: String) async throws {
        let program =
            prefix == "org.chronicle"
            ? self.program : Program(name: "summer", version: "2.1.0", interfaces: prefix)
        try await withTemporaryDirectory { directory in
            let (path, store) = (directory + "/socket", try Store<Sum>(of: program, in: nil))
            try await serve(store, of: program, at: path) {
                let client = try VarlinkClient(path)
                let names = try #require(try client.call(Call("org.varlink.service.GetInfo"))["interfaces"]?.list).map(\.text)
                #expect(
                    names == ["org.varlink.service"] + ["Admin", "History", "Store", "feature.Sum"].map { "\(prefix).\($0)" })
                for case let name? in names {
                    let call = Call("org.varlink.service.GetInterfaceDescription", [.init("interface", .text(name))])
                    let text = try #require(try client.call(call)["description"]?.text)
                    #expect(try InterfaceDescription(parsing: text).name == name)
                    #expect(prefix == "org.todod" || !text.contains("org.todod"))
                }
                let actions: Value = [["add": ["amount": 5]]]
                for parameters in [["actions": actions], ["actions": actions, "dryRun": false]] as [Value] {
                    _ = try client.call(Call(prefix + ".Store.Dispatch", parameters.record ?? []))
                }
                #expect(store.present.state.total == 10)
                for (method, parameters, expected) in [
                    ("History.Undo", ["steps": [9]], "Store.UnknownStep"),
                    ("Store.GetState", ["scope": "x"], "Store.UnknownScope"),
                    ("Store.Dispatch", ["actions": [["subtract": [:]]]], "Store.BadAction"),
                ] as [(String, Value, String)] {
                    do throws(VarlinkClientError) {
                        _ = try client.call(Call("\(prefix).\(method)", parameters.record ?? []))
                        Issue.record("no error")
                    } catch {
                        guard case .refused(let refusal) = error else { throw error }
                        #expect(refusal.name == "\(prefix).\(expected)")
                    }
                }
            }
            await store.stop()
        }
    }

    @Test func `a client with todod's names reaches the program's interfaces and gets todod's error names`() async throws {
        try await withTemporaryDirectory { directory in
            let (path, store) = (directory + "/socket", try Store<Sum>(of: program, in: nil))
            try await serve(store, at: path) {
                let client = try VarlinkClient(path)
                let call = Call("org.todod.History.Undo", [.init("steps", [9])])
                let error = #expect(throws: VarlinkClientError.self) { try client.call(call) }
                guard case .refused(let refusal)? = error else { return }
                #expect(refusal.name == "org.todod.Store.UnknownStep")
                #expect(client.names.prefix == "org.chronicle")
                #expect(try client.call(PingMethod.self).sequence == 0)
                let notFound = CallError.interfaceNotFound("org.chronicle.Nothing")
                #expect(throws: VarlinkClientError.refused(notFound)) { try client.call(Call("org.todod.Nothing.Do")) }
            }
            await store.stop()
        }
    }

    @Test func `a refusal has the name of the child, like its interface`() async throws {
        try await withTemporaryDirectory { directory in
            let (path, store) = (directory + "/socket", try Store<Sums>(of: program, in: nil))
            try await serve(store, at: path) {
                let client = try VarlinkClient(path)
                let actions: Value = [["second": ["add": ["amount": 5]]]]
                do throws(VarlinkClientError) {
                    _ = try client.call(Call("org.chronicle.Store.Dispatch", [.init("actions", actions)]))
                    Issue.record("no error")
                } catch {
                    guard case .refused(let refusal) = error else { throw error }
                    let name = refusal.name.split(separator: ".").dropLast().joined(separator: ".")
                    #expect(refusal.name == "org.chronicle.feature.First.Refused")
                    let call = Call("org.varlink.service.GetInterfaceDescription", [.init("interface", .text(name))])
                    let text = try client.call(call)["description"]?.text ?? ""
                    #expect(text.contains("\nerror Refused (message: string, action: int)\n"))
                }
            }
            await store.stop()
        }
    }
}
