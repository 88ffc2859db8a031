import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct HeadTests {
    @Test func `a head is printed, logged, and compared with the log by the daemon and offline`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<5 { try client.dispatch([Actions.increment]) }
        let printed = try daemon.todoctl("head")
        #expect(printed.end == .exit(0) && printed.text.hasPrefix("5-"), "\(printed)")
        let head = printed.text.trimmingCharacters(in: .newlines)
        let parts = try client.call("org.todod.Admin.Head")
        #expect(parts["head"]?.text == head)
        let (sequence, chain, digest) = (parts["sequence"]?.int, parts["chain"]?.text, parts["digest"]?.text)
        #expect(head == [sequence.map { "\($0)" }, chain, digest].map { $0 ?? "" }.joined(separator: "-"))
        try client.dispatch([Actions.increment])
        let whole = try daemon.todoctl("verify", "--head", head)
        #expect(whole.end == .exit(0), "\(whole)")
        let last = try daemon.todoctl("head").text.trimmingCharacters(in: .newlines)
        #expect(try daemon.stop() == .exit(0))
        #expect(daemon.output.contains("Head head=\(last) sequence="), "\(daemon.output)")
        for head in [head, last] {
            let checked = try Command.run([Products.todod, "--verify", "--data", daemon.data, "--head", head], seconds: 120)
            #expect(checked.end == .exit(0) && checked.text.contains("Fine."), "\(checked)")
        }
    }

    @Test func `a log that diverged from its original does not contain the original's head`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        try daemon.connect().dispatch([Actions.increment])
        #expect(try daemon.stop() == .exit(0))
        let copy = TemporaryDirectory()
        try FileManager.default.copyItem(atPath: daemon.data, toPath: copy.path + "/data")
        try daemon.start()
        try daemon.connect().dispatch([Actions.increment])
        let head = try daemon.todoctl("head").text.trimmingCharacters(in: .newlines)
        let other = try Daemon(environment: Daemon.ownLog, data: copy.path + "/data")
        try other.start()
        try other.connect().dispatch([Actions.increment])
        let outcome = try other.todoctl("verify", "--head", head)
        #expect(outcome.end == .exit(65) && outcome.error.contains("Damaged at record 2"), "\(outcome)")
        #expect(try other.todoctl("verify").end == .exit(0))
        #expect(try other.stop() == .exit(0))
        let checked = try Command.run([Products.todod, "--verify", "--data", other.data, "--head", head], seconds: 120)
        #expect(checked.end == .exit(65) && checked.text.contains("head 2: "), "\(checked)")
    }

    @Test(arguments: ["5", "5-1-2", "x"]) func `an invalid head is refused with a hint where to get one`(text: String) throws {
        let daemon = try Daemon.started()
        let outcome = try daemon.todoctl("verify", "--head", text)
        #expect(outcome.end == .exit(64) && outcome.error.contains("todoctl head"), "\(outcome)")
        #expect(try daemon.stop() == .exit(0))
        let checked = try Command.run([Products.todod, "--verify", "--data", daemon.data, "--head=\(text)"], seconds: 120)
        #expect(checked.end == .exit(64), "\(checked)")
    }
}
