import Foundation
import Reducing
import Testing
import TodoAPI
import Varlink

@Suite struct InterfaceTests {
    static let descriptions: [InterfaceDescription] = Interfaces.all.compactMap { try? InterfaceDescription(parsing: $0) }

    @Test func `all three interfaces can be parsed`() throws {
        for text in Interfaces.all { _ = try InterfaceDescription(parsing: text) }
        #expect(Self.descriptions.map(\.name) == ["org.todod.Admin", "org.todod.History", "org.todod.Store"])
    }

    @Test func `the texts are the files byte for byte`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Wire/TodoAPI/Interfaces")
        for description in Self.descriptions {
            let file = try Data(contentsOf: folder.appending(path: description.name + ".varlink"))
            #expect(Array(description.text.utf8) == Array(file))
            #expect(!file.contains(13))
        }
    }

    @Test func `every method needs one right, and these are they`() {
        let expected: [MethodRight: [String]] = [
            .read: [
                "Admin.Commands", "Admin.Compare", "Admin.DebugTail", "Admin.FollowCommands", "Admin.Head", "Admin.Machines",
                "Admin.Metrics", "Admin.Ping", "Admin.Status", "Admin.Verify", "History.Activity", "History.Bisect",
                "History.Blame", "History.Bookmarks", "History.Check", "History.Diff",
                "History.Export", "History.Invariants", "History.Log", "History.Series",
                "History.Steps", "History.WhatIf", "History.Why", "Store.Acknowledge", "Store.Follow", "Store.GetState",
                "Store.Subscribe", "Store.Subscriptions", "Store.View",
            ],
            .write: [
                "Admin.CancelCommand", "Admin.RetryCommand", "Admin.SkipCommand", "History.ApplyWhatIf", "History.Redo",
                "History.RemoveBookmark", "History.Revert", "History.SetBookmark", "History.Undo", "Store.Dispatch", "Store.Open",
                "Store.RemoveSubscription", "Store.SetSubscription",
            ],
            .administer: [
                "Admin.Backup", "Admin.Clients", "Admin.Debug", "Admin.EditCommand", "Admin.Hold", "Admin.Lock", "Admin.Redact",
                "Admin.RedactTexts", "Admin.Release",
                "Admin.Unlock", "History.Compact",
                "History.Import", "History.MergeFork", "History.RemoveInvariant", "History.SetInvariant", "History.Upload",
            ],
        ]
        for right in MethodRight.allCases {
            let methods = KnownMethod.named.filter { $0.value.right == right }.keys.sorted()
            #expect(methods == expected[right]?.map { "org.todod." + $0 }, "\(right)")
        }
        let described = Self.descriptions.flatMap { interface in interface.methods.map { "\(interface.name).\($0.name)" } }
        #expect(Set(KnownMethod.named.keys) == Set(described))
    }

    @Test(arguments: [
        APIError.refused(Refusal("TitleTooShort", "Too short."), action: 2),
        .badAction(ValueMismatch("todos.add", "Unknown field."), action: 1),
        .unknownFeature("x", known: ["y"]), .unknownAction("x", of: nil, known: ["y.z"]), .unknownScope("x", known: ["y"]),
        .staleSequence(sequence: 4),
        .staleIndex(sequence: 4),
        .keyReused,
        .keyTooLong, .invariantTooCostly(name: "short", max: 262_144),
        .nothingToUndo, .nothingToRedo, .notStanding(step: 3, undoing: 4), .nothingLeft(step: 3),
        .withinChange(first: 4, before: 3, after: 6),
        .stepOfAnother(step: 3, uid: 1001),
        .changedSince([Conflict("counter.count", expected: 1, found: nil)]),
        .unknownStep(step: 3), .unknownOwnStep(3), .batchTooLarge, .answerTooLarge, .dryRunTooLarge, .epochChanged(epoch: 2),
        .futureSequence(first: 0, last: 9),
        .prunedSequence(first: 5, last: 9), .emptyRange(from: 7, to: 3), .unknownBookmark(bookmark: "release"),
        .badBookmark(message: "It means a moment by itself.", bookmark: "now"),
        .badExpression(message: "Expected a path.", column: 3),
        .badAlteration(message: "12 is edited twice.", alteration: 1), .badFork(message: "It is none."),
        .mergedMeanwhile(3, in: 5),
        .tooManyBookmarks(max: 4_096, uid: 7), .stateFull(bytes: 2, max: 1),
        .unknownSubscription(name: "mail"), .badSubscription(message: "It has no letter.", name: "1"),
        .tooManySubscriptions(max: 64), .tooManySubscriptionsOfUser(uid: 1001, max: 16), .damagedSubscription(name: "mail"),
        .subscriptionOfAnother(name: "mail", uid: 1001),
        .subscriptionEnded(message: "Process 7 follows mail now.", name: "mail"),
        .subscriptionPruned(name: "mail", first: 3, last: 9, archive: "archive-1-9.jsonl.zst"),
        .damagedRecord(sequence: 7), .storageFull(message: "The disk is full."), .outcomeUnknown(message: "The disk failed."),
        .readOnly, .storeBusy,
        .queryBusy,
        .tooManyConnections, .stopping, .unknownCommand(id: CommandID(sequence: 1, index: 0)),
        .commandClosed(id: CommandID(sequence: 1, index: 0)), .commandRunning(id: CommandID(sequence: 1, index: 2)),
        .tooManyCommands, .tooManyDelayedCommands(max: 32_768, uid: nil),
        .badArguments(message: "A text is expected.", id: CommandID(sequence: 1, index: 0), path: "id"),
        .commandHeld(id: CommandID(sequence: 1, index: 0)), .backupRefused(message: "It is not empty."), .overtaken,
    ])
    func `every error is declared with the parameters that it has`(error: APIError) throws {
        let store = try #require(Self.descriptions.last)
        let declared = try #require(store.errors.first { store.name + "." + $0.name == error.name })
        #expect(store.mismatch(of: error.parameters, with: declared.parameters) == nil)
        #expect(declared.parameters.map(\.name) == error.parameters.map(\.name))
        #expect(error.parameters["message"]?.text == error.message)
        let read = try #require(APIError(CallError(error.name, error.parameters)))
        #expect(read.name == error.name && read.parameters == error.parameters)
    }

    @Test func `every capability is described where it is told, and no other`() throws {
        let admin = try #require(Self.descriptions.first { $0.name == "org.todod.Admin" })
        let told = try #require(admin.method(named: "Status")?.output.first { $0.name == "capabilities" })
        let names = told.documentation.joined(separator: " ").matches(of: /"([a-z.]+)":/).map { String($0.1) }
        #expect(names == Capability.allCases.map(\.rawValue))
    }

    @Test func `an error of a newer service is none of these`() {
        #expect(APIError(CallError("org.todod.Store.Unheard", [.init("message", "m")])) == nil)
        #expect(APIError(CallError("org.todod.Store.StaleSequence")) == nil)
    }

    @Test func `every refusal by a rule has a message and the index of the action`() throws {
        let store = try #require(Self.descriptions.last)
        for error in store.errors { #expect(error.parameters.first?.name == "message", "\(error.name)") }
    }
}
