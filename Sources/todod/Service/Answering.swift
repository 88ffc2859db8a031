import Reducing
import StoreRuntime
import TodoAPI
import Varlink
import VarlinkNIO

extension ReplyHandle {
    func fail(_ error: APIError) { fail(CallError(error)) }

    func succeed(_ message: some Message) {
        succeed { message.write(into: &$0) }
    }

    /// Answers from a task, and makes what it throws the error of the call.
    func answer(_ body: @escaping @Sendable (ReplyStream) async throws -> Void) {
        stream { stream in
            do {
                try await body(stream)
            } catch let error as APIError {
                throw CallError(error)
            } catch let error as StoreError {
                throw CallError(APIError(error))
            }
        }
    }
}

extension ReplyStream {
    func send(_ message: some Message) async throws {
        try await send { message.write(into: &$0) }
    }

    func end(_ message: some Message) {
        end { message.write(into: &$0) }
    }
}

extension CallError {
    init(_ error: APIError) { self.init(error.name, error.parameters) }
}

extension APIError {
    init(_ error: StoreError) {
        self =
            switch error {
            case .refused(let refusal, let action): .refused(refusal, action: action)
            case .stale(let current): .staleSequence(sequence: current)
            case .staleIndex(let current): .staleIndex(sequence: current)
            case .keyReused: .keyReused
            case .keyTooLong: .keyTooLong
            case .batchTooLarge: .batchTooLarge
            case .unknownStep(let step): .unknownStep(step)
            case .epochChanged(let current): .epochChanged(current)
            case .futureSequence(let head): .futureSequence(last: head)
            case .storageFull(let message): .storageFull(message: message)
            case .damaged(let sequence, _): .damagedRecord(sequence: sequence)
            case .outcomeUnknown: .outcomeUnknown
            case .answerTooLarge: .answerTooLarge
            case .commandClosed(let id):
                .refused(
                    Refusal("CommandClosed", "No command \(id) is open: it has ended, or never was."),
                    action: 0)
            case .commandRunning(let id):
                .refused(
                    Refusal("CommandRunning", "An attempt at the command \(id) is under way."), action: 0)
            case .commandHeld(let id):
                .refused(
                    Refusal("CommandHeld", "The command \(id) is held; release the commands first."),
                    action: 0)
            case .tooManyCommands: .storeBusy
            case .busy: .storeBusy
            case .queryBusy: .queryBusy
            case .readOnly: .readOnly
            case .stopping: .stopping
            case .unreadable(let message): .unreadable(message: message)
            }
    }
}
