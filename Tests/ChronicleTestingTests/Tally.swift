import Chronicle

extension Tally {
    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .add(let amount), .fetched(let amount), .counted(let amount):
            guard amount >= 0 else { throw Refusal("NegativeAmount", "An amount is at least 0.") }
            return [action]
        case .double: return [.add(state.count), .touch]
        case .nothing: return []
        case .increment, .touch, .fetch, .show, .countAll, .stopCounting, .uncounted, .displaced: return [action]
        }
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .increment: state.count += 1
        case .add(let amount): state.count += amount
        case .fetched(let count): state.count = count
        case .touch:
            state.changed = context.time
            state.by = UInt64(context.origin)
        case .fetch(let source): return [.fetch(from: source)]
        case .show: return [.open(page: "tally")]
        case .countAll:
            state.isCounting = true
            return [.count]
        case .stopCounting: return [.stop]
        case .counted(let count):
            state.count = count
            state.isCounting = false
        case .uncounted(let reason):
            state.failure = reason.isEmpty ? nil : reason
            state.isCounting = reason == "look"
        case .displaced: state.displaced += 1
        case .nothing, .double: break
        }
        return []
    }

    static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        guard command == .count else { return nil }
        return switch end {
        case .failed(let reason), .parked(let reason): .uncounted(reason)
        case .superseded: .displaced
        case .cancelled, .skipped: .uncounted("")
        }
    }
}

extension Tally.Command {
    var policy: CommandPolicy {
        switch self {
        case .fetch, .open: CommandPolicy()
        case .count: CommandPolicy(cancelID: "count")
        case .stop: CommandPolicy(cancelID: "count", isCancellation: true)
        }
    }

    var isPresentational: Bool { self == .open(page: "tally") }
}
