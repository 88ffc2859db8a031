import Testing
import Varlink

struct InterfaceDescriptionTests {
    private let text = """
        # A shop.
        interface org.example.shop-2

        type Size (small, large)

        # What is sold.
        type Item (
          name: string, # its name
          size: Size,
          tags: []string,
          price: ?float,
          stock: [string]int,
          extra: ?object,
          parts: ?[]Item,
          box: (width: int, open: bool)
        )

        method Buy(item: Item, count: ?int) -> (id: int)
        method Close() -> ()
        error SoldOut (item: Item, again: ?string)
        error Closed ()

        """

    @Test func `a text is parsed into types, methods and errors`() throws {
        let interface = try InterfaceDescription(parsing: text)
        #expect(interface.name == "org.example.shop-2")
        #expect(interface.text == text)
        #expect(interface.types.map(\.name) == ["Size", "Item"])
        #expect(interface.types[0].type == .enumeration(["small", "large"]))
        #expect(interface.methods.map(\.name) == ["Buy", "Close"])
        #expect(
            interface.methods[0].input == [
                .init(name: "item", type: .named("Item")), .init(name: "count", type: .optional(.int)),
            ])
        #expect(interface.methods.first { $0.name == "Close" }?.input == [])
        #expect(interface.methods.first { $0.name == "Open" } == nil)
        #expect(interface.errors.map(\.name) == ["SoldOut", "Closed"])
        guard case .structure(let fields) = interface.types[1].type else {
            Issue.record("Item is a struct")
            return
        }
        #expect(fields.map(\.name) == ["name", "size", "tags", "price", "stock", "extra", "parts", "box"])
        #expect(fields[4].type == .map(.int))
        #expect(fields[6].type == .optional(.array(.named("Item"))))
        #expect(fields[7].type == .structure([.init(name: "width", type: .int), .init(name: "open", type: .bool)]))
    }

    @Test(arguments: [
        ("", 1, "expected interface"), ("interface shop", 1, "shop is no name of an interface"),
        ("interface 1.shop", 1, "1.shop is no name of an interface"), ("interface a..b", 1, "a..b is no name of an interface"),
        ("interface a.b\nmethod do() -> ()", 2, "do must begin with a capital letter and hold only letters and digits"),
        ("interface a.b\n\nmethod Do()", 3, "expected ->"),
        ("interface a.b\nmethod Do(a: int,) -> ()", 2, "expected the name of a field"),
        ("interface a.b\nmethod Do(a: Thing) -> ()\n# end", 2, "there is no type Thing"),
        ("interface a.b\nmethod Do(a: any) -> ()", 2, "there is no type any"),
        ("interface a.b\nmethod Do(a: int, a: int) -> ()", 2, "a is described twice"),
        ("interface a.b\nmethod Do() -> ()\nerror Do ()", 3, "Do is described twice"),
        ("interface a.b\nmethod Do(one, two) -> ()", 2, "expected fields with types, not an enum"),
        ("interface a.b\nmethod Do(a: ??int) -> ()", 2, "an optional of an optional"),
        ("interface a.b\nthing Do ()", 2, "expected type, method or error, not thing"),
        ("interface a.b\n)", 2, "expected type, method or error"),
        ("interface a.b\r\n", 1, "lines end with a line feed alone"),
        ("interface a.b\nmethod Do(a_: int) -> ()", 2, "a_ is no name of a field"),
        (
            "interface a.b\ntype A (a: \(String(repeating: "[]", count: 20_000))int)", 2,
            "types stand more than 64 deep inside each other"
        ),
    ])
    func `a mistake is reported with its line`(text: String, line: Int, message: String) {
        #expect(throws: InterfaceError(line: line, message: message)) { try InterfaceDescription(parsing: text) }
    }

    @Test(arguments: [
        (#"{}"#, "item"), (#"{"item":null}"#, "item"), (#"{"item":{},"color":1}"#, "color"),
        (#"{"item":{"name":1}}"#, "item.name"),
        (#"{"item":{"name":"a","size":"huge","tags":[],"stock":{},"box":{"width":1,"open":true}}}"#, "item.size"),
        (#"{"item":{"name":"a","size":"small","tags":["a",1],"stock":{},"box":{"width":1,"open":true}}}"#, "item.tags[1]"),
        (#"{"item":{"name":"a","size":"small","tags":[],"stock":{"b":"c"},"box":{"width":1,"open":true}}}"#, "item.stock.b"),
        (#"{"item":{"name":"a","size":"small","tags":[],"stock":{},"box":{"width":1.0,"open":true}}}"#, "item.box.width"),
        (#"{"item":{"name":"a","size":"small","tags":[],"stock":{},"box":{"width":1,"open":true,"x":1}}}"#, "item.box.x"),
        (#"{"item":{"name":"a","size":"small","tags":[],"stock":{},"extra":[],"box":{"width":1,"open":true}}}"#, "item.extra"),
        (
            #"{"item":{"name":"a","size":"small","tags":[],"stock":{},"parts":[{}],"box":{"width":1,"open":true}}}"#,
            "item.parts[0].name"
        ),
    ])
    func `mismatched parameters are reported by their path`(parameters: String, path: String) throws {
        let interface = try InterfaceDescription(parsing: text)
        let members = try #require(try Value(parsing: parameters).record)
        #expect(interface.mismatch(of: members, with: interface.methods[0].input) == path)
    }

    @Test func `dropped comments remain in the text only`() throws {
        let text = "# A service.\ninterface org.example\n# Does it.\nmethod Do(\n# How often.\ntimes: int) -> ()\n"
        let (whole, withoutComments) = (
            try InterfaceDescription(parsing: text), try InterfaceDescription(parsing: text, comments: .dropped)
        )
        #expect(whole.methods[0].documentation == ["Does it."] && whole.methods[0].input[0].documentation == ["How often."])
        #expect(withoutComments.documentation.isEmpty && withoutComments.methods[0].documentation.isEmpty)
        #expect(withoutComments.methods[0].input[0].documentation.isEmpty)
        #expect(withoutComments.text == text && withoutComments.methods[0].input == whole.methods[0].input)
    }

    @Test func `matching parameters are accepted, and null is like an omitted value`() throws {
        let interface = try InterfaceDescription(parsing: text)
        let parameters = """
            {"item":{"name":"a","size":"small","tags":["b"],"price":2,"stock":{"c":1},"extra":{"x":[]},"parts":null,
            "box":{"width":1,"open":true}},"count":null}
            """
        let members = try #require(try Value(parsing: parameters).record)
        #expect(interface.mismatch(of: members, with: interface.methods[0].input) == nil)
    }
}

struct ServiceDescriptionTests {
    private func service() throws -> ServiceDescription {
        try ServiceDescription(
            vendor: "Vendor", product: "Product", version: "1", url: "https://example.org",
            interfaces: ["# Comment\ninterface org.example\nmethod Do(a: ?int) -> ()\n"])
    }

    @Test func `the service describes itself`() throws {
        guard case .answer(let bytes) = try service().validate(Call("org.varlink.service.GetInfo")) else {
            Issue.record("no answer")
            return
        }
        let expected =
            #"{"vendor":"Vendor","product":"Product","version":"1","url":"https://example.org","#
            + #""interfaces":["org.varlink.service","org.example"]}"#
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("org.varlink.service", ServiceDescription.text),
        ("org.example", "# Comment\ninterface org.example\nmethod Do(a: ?int) -> ()\n"),
    ])
    func `the service returns each interface byte for byte`(name: String, text: String) throws {
        let call = Call("org.varlink.service.GetInterfaceDescription", [.init("interface", .text(name))])
        guard case .answer(let bytes) = try service().validate(call) else {
            Issue.record("no answer")
            return
        }
        #expect(try Value(parsing: bytes) == ["description": .text(text)])
    }

    @Test(
        arguments: [
            (Call("org.example.Do"), .pass), (Call("org.example.Do", [.init("a", 1)]), .pass),
            (Call("org.example.Do", [.init("b", 1)]), .refusal(.invalidParameter("b"))),
            (Call("org.example.Do", [.init("a", "x")]), .refusal(.invalidParameter("a"))),
            (Call("org.example.Undo"), .refusal(.methodNotFound("org.example.Undo"))),
            (Call("org.other.Do"), .refusal(.interfaceNotFound("org.other"))), (Call("Do"), .refusal(.interfaceNotFound(""))),
            (Call("org.varlink.service.GetInterfaceDescription"), .refusal(.invalidParameter("interface"))),
            (
                Call("org.varlink.service.GetInterfaceDescription", [.init("interface", "org.other")]),
                .refusal(.interfaceNotFound("org.other"))
            ),
        ] as [(Call, ServiceDescription.Validation)])
    func `a call is validated against the descriptions`(call: Call, validation: ServiceDescription.Validation) throws {
        #expect(try service().validate(call) == validation)
    }

    @Test func `a duplicate interface is refused`() {
        #expect(throws: InterfaceError(line: 1, message: "a.b is described twice")) {
            try ServiceDescription(vendor: "", product: "", version: "", url: "", interfaces: ["interface a.b", "interface a.b"])
        }
    }
}
