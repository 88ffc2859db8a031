public import Chronicle

extension Feature {
    /// The name of the refusal of a dispatched action.
    public static func refusal(of action: Action, in state: State) -> String? {
        do {
            _ = try prepare(action, state, .test)
            return nil
        } catch { return error.name }
    }
}

/// The digest FNV-1a, which stays the same in every version of the program.
public func digest(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
