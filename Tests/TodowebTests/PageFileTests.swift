import Testing

@testable import todoweb

@Suite struct PageFileTests {
    @Test func `the root is the index, and every file has its name and type`() throws {
        let index = try #require(PageFile(path: "/"))
        #expect(index.name == "index.html" && index.type == "text/html; charset=utf-8")
        #expect(String(decoding: index.bytes, as: UTF8.self).lowercased().hasPrefix("<!doctype html>"))
        #expect(index.bytes.last == UInt8(ascii: "\n"))
        for name in pageTexts.keys {
            let file = try #require(PageFile(path: "/" + name), "\(name) has no type")
            #expect(file.name == name && !file.bytes.isEmpty)
        }
    }

    @Test(arguments: [
        "", "index.html", "//", "/index.html/", "/./index.html", "/../index.html", "/%69ndex.html", "/index.html\u{0}",
        "/Index.html",
        "/etc/passwd", "/../../etc/passwd",
    ])
    func `a path is looked up literally`(path: String) {
        #expect(PageFile(path: path[...]) == nil)
    }

    @Test func `only files of the page have a type`() {
        #expect(PageFile.type(of: "app.js") == "text/javascript; charset=utf-8")
        #expect(PageFile.type(of: "style.css") == "text/css; charset=utf-8")
        #expect(PageFile.type(of: "icon.svg") == "image/svg+xml")
        #expect(PageFile.type(of: "notes.md") == nil && PageFile.type(of: "") == nil)
    }
}
