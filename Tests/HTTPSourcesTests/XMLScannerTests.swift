import Testing

@testable import HTTPSources

@Suite struct `The scanner of XML` {
    func events(_ text: String, blocks: Int = .max) throws(XMLFailure) -> [XMLEvent] {
        let scanner = XMLScanner()
        var events: [XMLEvent] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            events += try scanner.events(in: Array(rest.prefix(blocks)))
            rest = rest.dropFirst(blocks)
        }
        return events + (try scanner.events(in: nil))
    }

    @Test(arguments: [1, 7, .max]) func `elements, attributes and text are read, however they are split`(blocks: Int) throws {
        let text = "<a xmlns='urn:x' b='1&amp;2'><c:d xmlns:c='urn:y'>é&#x1F600;</c:d></a>"
        var merged: [XMLEvent] = []
        for event in try events(text, blocks: blocks) {
            if case .text(let more) = event, case .text(let before)? = merged.last {
                merged[merged.count - 1] = .text(before + more)
            } else {
                merged.append(event)
            }
        }
        #expect(
            merged == [
                .start(XMLName("a", in: "urn:x"), attributes: [XMLName("b"): "1&2"]),
                .start(XMLName("d", in: "urn:y"), attributes: [:]), .text("é😀"), .end, .end,
            ])
    }

    @Test(arguments: ["<a>", "<a></b>", "<a b=1/>", "<a/><b/>", "", "x", "<a>&nbsp;</a>", "<x:a/>", "<a>\u{1}</a>"])
    func `a malformed document is refused with its line`(text: String) {
        let error = #expect(throws: XMLFailure.self) { try events(text) }
        guard case .malformed(let words, let line) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!words.isEmpty && line == 1)
    }

    @Test func `entities are refused before they are expanded, wherever they are defined`() {
        let laughs = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()
        let documents = [
            "<!DOCTYPE a [<!ENTITY l0 'ha'>\(laughs)]><a>&l9;</a>",
            "<!DOCTYPE a [<!ENTITY big '\(String(repeating: "x", count: 100_000))'>]><a>&big;&big;</a>",
            "<!DOCTYPE a [<!ENTITY file SYSTEM 'file:///etc/passwd'>]><a>&file;</a>",
            "<!DOCTYPE a [<!ENTITY % outside SYSTEM 'http://127.0.0.1/x.dtd'> %outside;]><a/>",
        ]
        for document in documents {
            #expect(throws: XMLFailure.entities) { try events(document) }
        }
    }

    @Test func `an external document type is skipped and not read`() throws {
        let text = "<!DOCTYPE rss PUBLIC '-//Netscape//DTD RSS 0.91//EN' 'http://127.0.0.1:1/rss.dtd'><a>x</a>"
        #expect(try events(text).count == 3)
    }

    @Test func `nesting above the limit is refused`() throws {
        let text = { (depth: Int) in String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth) }
        #expect(try events(text(XMLScanner.depthMax)).count == 2 * XMLScanner.depthMax)
        #expect(throws: XMLFailure.tooDeep) { try events(text(XMLScanner.depthMax + 1)) }
    }
}
