import ChronicleLog
import Testing
import TimeTravel
import TodoAPI

/// The limits in the interface equal the limits of the log and the history.
@Suite struct MethodLimitsTests {
    @Test func `the limits of requests match those of the store`() {
        #expect(LockMethod.reasonBytesMax == Lock.reasonBytesMax)
        #expect(SetInvariantMethod.nameBytesMax == Invariant.nameBytesMax)
        #expect(SetInvariantMethod.expressionBytesMax == Invariant.textBytesMax)
        #expect(UndoMethod.stepsMax == HistoryLimits.stepsMax)
    }
}
