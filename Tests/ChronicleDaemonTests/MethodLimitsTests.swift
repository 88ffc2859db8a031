import ChronicleLog
import Testing
import TimeTravel
import TodoAPI

/// Limits that a client holds to before it asks, and the log or the past by themselves.
@Suite struct MethodLimitsTests {
    @Test func `what a client may ask for is what can be kept and looked for`() {
        #expect(LockMethod.reasonBytesMax == Lock.reasonBytesMax)
        #expect(SetInvariantMethod.nameBytesMax == Invariant.nameBytesMax)
        #expect(SetInvariantMethod.expressionBytesMax == Invariant.textBytesMax)
        #expect(UndoMethod.stepsMax == HistoryLimits.stepsMax)
    }
}
