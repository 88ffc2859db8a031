import ChronicleValues
import Testing

@Suite struct JSONElementReaderTests {
    private func elements(
        _ text: String, _ limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> [(value: Value, offset: Int)] {
        let bytes = Array(text.utf8)
        var reader = JSONElementReader(limits: limits)
        var found: [(value: Value, offset: Int)] = []
        while let element = try reader.next(in: bytes) { found.append(element) }
        // Further calls return nil.
        let afterEnd = try reader.next(in: bytes)
        #expect(afterEnd == nil)
        return found
    }

    @Test(arguments: ["[]", " [ ] ", "[1]", "[1,2]", "[ {\"a\":[1,{}]} , \"x]\" ,[],null]\n", "[[[]],[[[1]]]]"])
    func `elements read one by one equal those of the whole array`(text: String) throws {
        let whole = try Value(parsing: text)
        #expect(try elements(text).map(\.value) == whole.list)
    }

    @Test func `each element has its byte offset`() throws {
        #expect(try elements("[1, {\"a\":2}\n,[3]]").map(\.offset) == [1, 4, 13])
    }

    @Test(arguments: [
        "", " ", "{}", "1", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[] 1", "[1}", "[tru]", "[\"\u{1}\"]",
    ])
    func `an invalid text is refused at the same offset as a whole, also if it is not an array`(text: String) throws {
        let whole = #expect(throws: JSONError.self) { try self.elements(text) }
        do throws(JSONError) {
            let value = try Value(parsing: text)
            #expect(value.list == nil && whole?.reason == .unexpectedByte)
        } catch { #expect(error == whole) }
    }

    @Test func `the limit of values applies per element, or to a whole text`() throws {
        let limits = JSONLimits(valuesMax: 3)
        #expect(try elements("[[1,2],[3,4],{\"a\":{\"b\":5}}]", limits).count == 3)
        #expect(throws: JSONError(offset: 6, reason: .tooManyValues)) { try self.elements("[[1,2,3]]", limits) }
        #expect(throws: Never.self) { try Value(parsing: "[1,2]", limits: limits) }
        #expect(throws: JSONError(offset: 5, reason: .tooManyValues)) { try Value(parsing: "[1,2,3]", limits: limits) }
        #expect(throws: JSONError(offset: 11, reason: .tooManyValues)) {
            try Value(parsing: #"{"a":1,"b":[2]}"#, limits: JSONLimits(valuesMax: 2))
        }
    }

    @Test func `the array counts as a level of nesting`() throws {
        let limits = JSONLimits(depthMax: 2)
        #expect(try elements("[[],[1]]", limits).count == 2)
        #expect(throws: JSONError(offset: 2, reason: .tooDeep)) { try self.elements("[[[]]]", limits) }
    }
}
