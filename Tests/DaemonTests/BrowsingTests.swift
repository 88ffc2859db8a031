import Foundation
import ProcessTesting
import Synchronization
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct BrowsingTests {
    @Test func `posts are listed page by page, and one of them becomes a todo`() throws {
        let daemon = try Daemon.started()
        func count(_ state: Value) -> Int { state["posts"]?["items"]?.list?.count ?? 0 }
        #expect(try daemon.todoctl("posts", "more").end == .exit(1))
        #expect(try daemon.todoctl("posts", "fetch").end == .exit(0))
        try daemon.state("posts.items") { count($0) == 10 }
        for total in [18, 26] {
            #expect(try daemon.todoctl("posts", "more").end == .exit(0))
            try daemon.state("posts.items") { count($0) == total }
        }
        #expect(try daemon.todoctl("posts", "more").end == .exit(1))
        let list = try daemon.todoctl("posts")
        #expect(list.lines.count == 27 && list.lines[0] == "Posts - (26)", "\(list)")
        #expect(try daemon.todoctl("posts", "add", "1").text == "Added 1: Why a log and not a table\n")
        #expect(try daemon.connect().state("todos.items").titles == ["Why a log and not a table"])
        #expect(try daemon.todoctl("posts", "add", "99").end == .exit(1))
    }

    @Test func `the list is that of the language chosen last, however late the answers arrive`() throws {
        let random = Mutex(SeededGenerator(50))
        // One repository, named after the requested language, after a random delay.
        let web = try WebServer { request in
            usleep(useconds_t(random.withLock { Int.random(in: 0..<30_000, using: &$0) }))
            let language = request.components(separatedBy: "%22").dropFirst().first ?? ""
            let name = (language.removingPercentEncoding ?? "") + "/first"
            let page = "https://example.org/1"
            return (200, #"{"items":[{"id":1,"full_name":"\#(name)","html_url":"\#(page)","stargazers_count":1}]}"#)
        }
        let daemon = try Daemon.started(
            environment: ["TODOD_REPOSITORY_SOURCE": "github", "TODOD_GITHUB_URL": String(web.address.dropLast())])
        let client = try daemon.connect()
        try client.dispatch([["repositories": ["reload": [:]]]])
        let languages = ["Swift", "Objective-C", "Java", "C", "C++", "Python", "C#"]
        var last = "Swift"
        for _ in 0..<50 {
            last = random.withLock { random in languages.filter { $0 != last }.randomElement(using: &random) } ?? ""
            try client.dispatch([["repositories": ["setLanguage": ["language": .text(last)]]]])
        }
        try daemon.state("repositories") { $0["repositories"]?["loading"]?.bool == false }
        let state = try client.state("repositories")["repositories"]
        #expect(state?["language"]?.text == last)
        #expect(state?["items"]?.list?.map { $0["fullName"]?.text } == [last + "/first"])
        #expect(try client.status()["outbox"]?["open"] == 0)
    }

    @Test func `repositories are those of the language, and an unknown language changes nothing`() throws {
        let daemon = try Daemon.started()
        func isShown(_ state: Value, _ language: String, _ owner: String) -> Bool {
            state["repositories"]?["language"]?.text == language && state["repositories"]?["loading"]?.bool == false
                && state["repositories"]?["items"]?.list?.contains { $0["fullName"]?.text?.hasPrefix(owner) == true } == true
        }
        #expect(try daemon.todoctl("repos", "open", "1").end == .exit(1))
        #expect(try daemon.todoctl("repos", "reload").end == .exit(0))
        try daemon.state("repositories") { isShown($0, "Swift", "apple/") }
        let list = try daemon.todoctl("repos")
        #expect(list.lines.first == "Swift" && list.text.contains("vapor/vapor"), "\(list)")
        #expect(try daemon.todoctl("repos", "open", "1").text == "https://github.com/vsouza/awesome-ios\n")

        #expect(try daemon.todoctl("repos", "language", "Objective-C").end == .exit(0))
        try daemon.state("repositories") { isShown($0, "Objective-C", "AFNetworking/") }
        let before = try daemon.connect().sequence()
        let unknown = try daemon.todoctl("repos", "language", "Klingon")
        #expect(unknown.end == .exit(1) && unknown.error.contains("Klingon"), "\(unknown)")
        #expect(try daemon.connect().sequence() == before)
    }

    @Test func `a link opens its target`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("open", "todod:/repos/C%2B%2B").end == .exit(0))
        try daemon.state("repositories") {
            $0["repositories"]?["language"]?.text == "C++" && $0["repositories"]?["items"]?.list?.isEmpty == false
        }
        #expect(try daemon.todoctl("open", "todod:/flows/language").text.contains("flow list"))
        #expect(try daemon.todoctl("flow").text.contains("language"))
        let client = try daemon.connect()
        // The question requests the languages, which arrive later.
        while try client.status()["outbox"]?["open"] != 0 { sched_yield() }
        let before = try client.sequence()
        for link in ["http://example.org/", "todod:/nowhere", "todod:/repos/Klingon"] {
            #expect(try daemon.todoctl("open", link).end == .exit(1), "\(link)")
        }
        #expect(try client.sequence() == before)
    }
}
