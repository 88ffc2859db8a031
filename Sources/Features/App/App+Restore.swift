public import Reducing

extension App {
    /// Each feature takes back what concerns it.
    public static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        var restored = Restored(present)
        restored.conflicts += todos.restore(&restored.state, from: after, to: before)
        restored.conflicts += counter.restore(&restored.state, from: after, to: before)
        if after.sharesAsides(with: before) { return restored }
        restored.conflicts += alerts.restore(&restored.state, from: after, to: before)
        restored.conflicts += posts.restore(&restored.state, from: after, to: before)
        restored.conflicts += stars.restore(&restored.state, from: after, to: before)
        restored.conflicts += repositories.restore(&restored.state, from: after, to: before)
        restored.conflicts += flows.restore(&restored.state, from: after, to: before)
        return restored
    }

    /// Each feature says what leads there.
    public static func compensation(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        var actions = try todos.compensation(from: present, to: wanted)
        actions += try counter.compensation(from: present, to: wanted)
        if present.sharesAsides(with: wanted) { return actions }
        actions += try alerts.compensation(from: present, to: wanted)
        actions += try posts.compensation(from: present, to: wanted)
        actions += try stars.compensation(from: present, to: wanted)
        actions += try repositories.compensation(from: present, to: wanted)
        actions += try flows.compensation(from: present, to: wanted)
        return actions
    }
}
