import Testing
import Values

@Suite struct JSONElementReaderTests {
    private func elements(_ text: String, _ limits: JSONLimits = .default) throws(JSONError) -> [(value: Value, offset: Int)] {
        let bytes = Array(text.utf8)
        var reader = JSONElementReader(limits: limits)
        var found: [(value: Value, offset: Int)] = []
        while let element = try reader.next(in: bytes) { found.append(element) }
        // Behind the end there is nothing more.
        let behind = try reader.next(in: bytes)
        #expect(behind == nil)
        return found
    }

    @Test(arguments: ["[]", " [ ] ", "[1]", "[1,2]", "[ {\"a\":[1,{}]} , \"x]\" ,[],null]\n", "[[[]],[[[1]]]]"])
    func `the elements of a list are those of the list that is read as one`(text: String) throws {
        let whole = try Value(parsing: text)
        #expect(try elements(text).map(\.value) == whole.list)
    }

    @Test func `each element is told with the byte that it begins at`() throws {
        #expect(try elements("[1, {\"a\":2}\n,[3]]").map(\.offset) == [1, 4, 13])
    }

    @Test(arguments: [
        "", " ", "{}", "1", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[] 1", "[1}", "[tru]", "[\"\u{1}\"]",
    ])
    func `what is refused as a whole is refused in the same place, and so is what is no list`(text: String) throws {
        let whole = #expect(throws: JSONError.self) { try self.elements(text) }
        do throws(JSONError) {
            let value = try Value(parsing: text)
            #expect(value.list == nil && whole?.reason == .unexpectedByte)
        } catch { #expect(error == whole) }
    }

    @Test func `values are counted in each element, and in a text as a whole`() throws {
        let limits = JSONLimits(valuesMax: 3)
        #expect(try elements("[[1,2],[3,4],{\"a\":{\"b\":5}}]", limits).count == 3)
        #expect(throws: JSONError(offset: 6, reason: .tooManyValues)) { try self.elements("[[1,2,3]]", limits) }
        #expect(throws: Never.self) { try Value(parsing: "[1,2]", limits: limits) }
        #expect(throws: JSONError(offset: 5, reason: .tooManyValues)) { try Value(parsing: "[1,2,3]", limits: limits) }
        #expect(throws: JSONError(offset: 11, reason: .tooManyValues)) {
            try Value(parsing: #"{"a":1,"b":[2]}"#, limits: JSONLimits(valuesMax: 2))
        }
    }

    @Test func `a list counts as a level of nesting`() throws {
        let limits = JSONLimits(depthMax: 2)
        #expect(try elements("[[],[1]]", limits).count == 2)
        #expect(throws: JSONError(offset: 2, reason: .tooDeep)) { try self.elements("[[[]]]", limits) }
    }
}
