import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Tests of data from files and from the web, including bad data.
@Suite(.ownThreads) struct SourceTests {
    static let load: Value = ["todos": ["load": [:]]]
    static let fetch: Value = ["posts": ["fetch": [:]]]

    /// Dispatches an action that requests a command and returns the record of its end.
    private func end(of order: Value, at daemon: Daemon) throws -> Value {
        let client = try daemon.connect()
        let sequence = try #require(try client.dispatch([order]).sequences.last)
        try client.send(
            "org.todod.Store.Subscribe", ["kind": "records", "from": ["sequence": .int(sequence + 1)]], more: true)
        while true {
            for record in try Client.result(client.receive())["records"]?.list ?? [] where record["kind"]?.text == "end" {
                #expect(record["cause"]?["sequence"]?.int == sequence)
                return record
            }
        }
    }

    private func alerts(_ daemon: Daemon) throws -> [String] {
        (try daemon.connect().state("alerts")["alerts"]?["items"]?.list ?? []).compactMap { $0["text"]?.text }
    }

    private func titles(_ daemon: Daemon) throws -> [String] {
        (try daemon.connect().state("todos")["todos"]?["items"]?.list ?? []).compactMap { $0["title"]?.text }
    }

    @Test func `todos are loaded from a file on every request`() throws {
        let daemon = try Daemon()
        let file = try daemon.directory.write("Buy the milk\n\nTake my dog\n", to: "todos.txt")
        daemon.environment["TODOD_TODO_SOURCE"] = file
        try daemon.start()
        _ = try end(of: Self.load, at: daemon)
        #expect(try titles(daemon) == ["Buy the milk", "Take my dog"])
        try daemon.directory.write("[{\"title\": \"Rent a car\"}]", to: "todos.txt")
        _ = try end(of: Self.load, at: daemon)
        #expect(try titles(daemon) == ["Rent a car", "Buy the milk", "Take my dog"])
        try FileManager.default.removeItem(atPath: file)
        _ = try end(of: Self.load, at: daemon)
        #expect(try titles(daemon).count == 3)
        #expect(try alerts(daemon).last?.contains("\(file) can't be read: no such file or directory.") == true)
    }

    @Test(.enabled(if: FileServer.python != nil, "python3 is not installed"))
    func `a bad feed becomes an alert with the reason, and the next request works`() throws {
        let site = TemporaryDirectory()
        let web = try FileServer(serving: site.path)
        let daemon = try Daemon.started(environment: ["TODOD_POST_SOURCE": web.address + "/feed.xml"])

        let laughs = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()
        let bad = [
            ("<!DOCTYPE rss [<!ENTITY l0 'ha'>\(laughs)]><rss><channel>&l9;</channel></rss>", "declares entities"),
            ("<!DOCTYPE rss [<!ENTITY f SYSTEM 'file:///etc/hostname'>]><rss><channel>&f;</channel></rss>", "declares entities"),
            ("<rss version='2.0'><channel>", "can't be read: line 1"),
            ("<html/>", "neither RSS 2.0 nor Atom"),
        ]
        for (text, reason) in bad {
            try site.write(text, to: "feed.xml")
            _ = try end(of: Self.fetch, at: daemon)
            #expect(try alerts(daemon).last?.contains(reason) == true)
        }
        #expect(FileManager.default.createFile(atPath: site.path + "/feed.xml", contents: nil))
        try #require(FileHandle(forWritingAtPath: site.path + "/feed.xml")).truncate(atOffset: 100 << 20)
        _ = try end(of: Self.fetch, at: daemon)
        #expect(try alerts(daemon).last?.contains("sent more than 4194304 bytes") == true)

        let client = try daemon.connect()
        #expect(try client.state("posts")["posts"]?["items"]?.list?.isEmpty != false)
        try site.write(
            "<rss version='2.0'><channel><item><title>Good news</title><guid>1</guid></item></channel></rss>", to: "feed.xml")
        _ = try end(of: Self.fetch, at: daemon)
        let posts = try client.state("posts")["posts"]?["items"]?.list ?? []
        #expect(posts.map { $0["title"]?.text } == ["Good news"])
        #expect(try alerts(daemon).count == bad.count + 1)
    }

    @Test func `a token that others can read is refused at the start and never printed`() throws {
        let daemon = try Daemon()
        let token = try daemon.directory.write("ghp_secret\n", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: token)
        daemon.environment["TODOD_GITHUB_TOKEN_FILE"] = token
        #expect(try daemon.startRefused() == .exit(78))
        #expect(daemon.output.contains("chmod 600 \(token)"), "\(daemon.output)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
        try daemon.start()
        #expect(try daemon.stop() == .exit(0))
        #expect(!daemon.output.contains("ghp_"))
    }
}
