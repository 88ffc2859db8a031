import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct LoadingAgainTests {
    @Test func `a repeated load adds the new items and reports them`() throws {
        let daemon = try Daemon.started()
        let first = try daemon.todoctl("load", "--wait")
        #expect(first.text == "Loaded 3 todos: Buy the milk, Take my dog, Rent a car.\n", "\(first)")
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        let again = try daemon.todoctl("load", "--wait")
        #expect(again.end == .exit(0) && again.text == "Nothing new: the list has all of them already.\n", "\(again)")
        #expect(try daemon.connect().state("todos.items").titles == ["Buy the milk", "Take my dog", "Rent a car"])
        // A removed item is missing and is loaded again.
        #expect(try daemon.todoctl("remove", "2").end == .exit(0))
        let third = try daemon.todoctl("load", "--wait")
        #expect(third.text == "Loaded 1 todo: Take my dog.\n", "\(third)")
        #expect(try daemon.connect().state("todos.items").titles == ["Take my dog", "Buy the milk", "Rent a car"])
    }

    @Test func `a list of repositories keeps the name of its language until the next list is loaded`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("repos", "reload", "--wait").end == .exit(0))
        #expect(try daemon.todoctl("repos").lines.first == "Swift")
        #expect(try daemon.todoctl("commands", "hold").end == .exit(0))
        let before = try daemon.connect().sequence()
        #expect(try daemon.todoctl("repos", "language", "Objective-C").end == .exit(0))
        let waiting = try daemon.todoctl("repos")
        #expect(waiting.lines.first == "Swift (Objective-C is loading)" && waiting.text.contains("vapor/vapor"), "\(waiting)")
        #expect(try daemon.todoctl("repos", "--at", "\(before)").lines.first == "Swift")
        #expect(try daemon.todoctl("commands", "release").end == .exit(0))
        try daemon.state("repositories") { $0["repositories"]?["loading"]?.bool == false }
        #expect(try daemon.todoctl("repos").lines.first == "Objective-C")
    }
}
