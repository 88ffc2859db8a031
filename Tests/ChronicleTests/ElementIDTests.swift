import Chronicle
import Testing

@Suite struct ElementIDTests {
    @Test(arguments: [1, 300, 9_007_199_254_740_990] as [Int64])
    func `a positive exact integer is an ID`(number: Int64) throws {
        let id = try ElementID(.int(number))
        #expect(id.number == UInt64(number))
        #expect(id.value == .int(number))
    }

    @Test(arguments: [0, -1, 9_007_199_254_740_991, "1", .null, [1], true] as [Value])
    func `any other value is refused as an ID`(value: Value) {
        #expect(throws: ValueMismatch("", "an id, a whole number from 1, is expected")) { try ElementID(value) }
    }
}
