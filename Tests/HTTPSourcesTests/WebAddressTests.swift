import Testing

@testable import HTTPSources

@Suite struct `An address` {
    @Test(arguments: [
        ("https://example.org", "example.org"), ("http://example.org:8080/a?b=c", "example.org:8080"),
        ("HTTPS://Example.org/", "Example.org"), ("http://[::1]:80/", "::1:80"),
    ])
    func `web addresses are accepted`(text: String, host: String) throws {
        #expect(try #require(WebAddress(text)).host == host)
    }

    @Test(arguments: [
        "", "example.org", "/path", "file:///etc/passwd", "ftp://example.org", "http://", "https://user@example.org",
        "https://user:secret@example.org", "javascript:alert(1)", "https://example.org/" + String(repeating: "x", count: 2048),
    ])
    func `other addresses are refused`(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test(arguments: [
        ("", "https://example.org/a/b?c"), ("#f", "https://example.org/a/b?c#f"), ("?d", "https://example.org/a/b?d"),
        ("d e", "https://example.org/a/d%20e"), ("//other.org", "https://other.org/"), ("mailto:a@b.org", nil),
    ])
    func `relative addresses are resolved`(reference: String, address: String?) throws {
        #expect(try #require(WebAddress("https://example.org/a/b?c#g")).resolving(reference)?.text == address)
    }

    @Test func `appended parts are encoded, and only a path can be extended`() throws {
        let base = try #require(WebAddress("https://example.org/api/"))
        #expect(
            base.appending(["a b", "c/d"], query: [("q", "C++ é"), ("n", "1")])?.text
                == "https://example.org/api/a%20b/c%2Fd?q=C%2B%2B%20%C3%A9&n=1")
        #expect(WebAddress("https://example.org/?a=b")?.appending(["c"]) == nil)
    }

    @Test(arguments: [
        ("https://example.org", true), ("http://example.org", false), ("http://127.0.0.1:80", true), ("http://localhost", true),
        ("http://[::1]/", true), ("http://localhost.example.org", false), ("http://127.0.0.1.example.org", false),
    ])
    func `an address keeps secrets if requests are encrypted or stay on this machine`(text: String, keeps: Bool) throws {
        #expect(try #require(WebAddress(text)).keepsSecrets == keeps)
    }
}
