import Chronicle
import Testing

@Suite struct RecordReaderTests {
    @Test func `fields are read by name in any order`() throws {
        var record = try RecordReader(["b": 2, "a": "x", "c": [true, false]])
        #expect(try record.required("a", as: String.self) == "x")
        #expect(try record.required("b", as: Int64.self) == 2)
        #expect(try record.optional("c", as: [Bool].self) == [true, false])
        #expect(try record.optional("d", as: Bool.self) == nil)
        try record.end()
    }

    @Test func `an unknown field is a mismatch`() throws {
        var record = try RecordReader(["a": 1, "b": 2])
        _ = try record.required("a", as: Int64.self)
        #expect(throws: ValueMismatch("b", "there is no such field")) { try record.end() }
    }

    @Test func `a duplicate field is a mismatch`() throws {
        var record = try RecordReader(.record([.init("a", 1), .init("a", 2)]))
        _ = try record.required("a", as: Int64.self)
        #expect(throws: ValueMismatch.self) { try record.end() }
    }

    @Test func `null counts as absent`() throws {
        var record = try RecordReader(["a": .null])
        #expect(try record.optional("a", as: Int64.self) == nil)
        try record.end()
        var other = try RecordReader(["a": .null])
        #expect(throws: ValueMismatch("a", "this field is missing")) { try other.required("a", as: Int64.self) }
    }

    @Test func `a nested mismatch has its path`() throws {
        var record = try RecordReader(["list": [1, "two"]])
        #expect {
            try record.required("list", as: [Int64].self)
        } throws: { error in
            (error as? ValueMismatch)?.path == "list[1]"
        }
    }

    @Test func `integers that JSON can't represent exactly are refused`() throws {
        #expect(try Int64(Value.int(.exactMax)) == 9_007_199_254_740_991)
        #expect(throws: ValueMismatch.self) { try Int64(Value.int(.exactMax + 1)) }
        #expect(throws: ValueMismatch.self) { try Int64(Value.int(-.exactMax - 1)) }
        #expect(throws: ValueMismatch.self) { try Int64(Value.int(.min)) }
    }

    @Test(arguments: [[:], ["a": 1, "b": 2], "a", [1]] as [Value])
    func `a choice without exactly one field is refused`(value: Value) {
        #expect(throws: ValueMismatch.self) { try RecordReader.choice(value) }
    }
}
