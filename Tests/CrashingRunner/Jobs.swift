import Chronicle

extension Jobs {
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .run(let job): return [.run(job)]
        case .done(let text): state.done.append(text)
        case .parked(let text): state.parked.append(text)
        }
        return []
    }

    static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        if case .parked(let reason) = end { .parked("\(command.job.text) \(reason)") } else { nil }
    }
}

extension Jobs.Command {
    var job: Job {
        switch self {
        case .run(let job): job
        }
    }

    var policy: CommandPolicy {
        // A target takes long only on a machine that was suspended, which is not a failure of the target.
        CommandPolicy(isIdempotent: !job.isOnce, timeout: .seconds(600), delay: .milliseconds(Int64(job.milliseconds)))
    }
}
