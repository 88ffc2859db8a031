import Chronicle
import Foundation
import Testing
import TodoAPI
import Varlink

@Suite struct InterfaceTests {
    static let descriptions: [InterfaceDescription] = Interfaces.all.compactMap { try? InterfaceDescription(parsing: $0) }

    @Test func `all three interfaces can be parsed`() throws {
        for text in Interfaces.all { _ = try InterfaceDescription(parsing: text) }
        #expect(Self.descriptions.map(\.name) == ["org.todod.Admin", "org.todod.History", "org.todod.Store"])
    }

    @Test func `each text is its file byte for byte, followed by the types shared with the store`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Wire/TodoAPI/Interfaces")
        for description in Self.descriptions {
            let file = try Data(contentsOf: folder.appending(path: description.name + ".varlink"))
            let served = Array(description.text.utf8)
            #expect(served.starts(with: file))
            #expect(!file.contains(13))
            // Each shared type begins and ends with a line feed.
            let shared = String(decoding: served.dropFirst(file.count), as: UTF8.self)
            for type in shared.split(separator: "\n\n") {
                #expect(Interfaces.all.last?.contains(type.trimmingPrefix("\n")) == true, "\(type)")
            }
        }
    }

    @Test func `every method has the expected right`() {
        let expected: [MethodRight: [String]] = [
            .read: [
                "Admin.Commands", "Admin.DebugTail", "Admin.FollowCommands", "Admin.Head", "Admin.Machines",
                "Admin.Metrics", "Admin.Ping", "Admin.Status", "Admin.Verify", "History.Blame",
                "History.Bookmarks", "History.Diff", "History.Export", "History.Invariants", "History.Log", "History.Scan",
                "History.Steps", "History.WhatIf", "History.Why", "Store.GetState",
                "Store.Subscribe", "Store.View",
            ],
            .write: [
                "Admin.ChangeCommand", "History.ApplyWhatIf",
                "History.RemoveBookmark", "History.Revert", "History.SetBookmark", "History.Undo", "Store.Dispatch", "Store.Open",
            ],
            .administer: [
                "Admin.Backup", "Admin.Clients", "Admin.Debug", "Admin.Hold", "Admin.Lock", "Admin.Redact", "Admin.RedactTexts",
                "History.Compact",
                "History.Import", "History.MergeFork", "History.RemoveInvariant", "History.SetInvariant", "History.Upload",
            ],
        ]
        for right in MethodRight.allCases {
            let methods = KnownMethod.named.filter { $0.value.right == right }.keys.sorted()
            #expect(methods == expected[right]?.map { "org.todod." + $0 }, "\(right)")
        }
        let command = KnownMethod.changeCommand
        for operation in ChangeCommandMethod.Input.Operation.allCases {
            let right = command.right(for: [.init("id", [:]), .init("operation", .text(operation.rawValue))])
            #expect(right == (operation == .edit ? .administer : .write))
        }
        let described = Self.descriptions.flatMap { interface in interface.methods.map { "\(interface.name).\($0.name)" } }
        #expect(Set(KnownMethod.named.keys) == Set(described))
    }

    @Test(arguments: [
        APIError.factNotAllowed(action: 2), .unknownID(id: 4, scope: "todos.items"), .noLinks,
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
        .badAlteration(message: "12 is edited twice.", alteration: 1), .badFork(message: "It is empty."),
        .mergedMeanwhile(3, in: 5),
        .tooManyBookmarks(max: 4_096, uid: 7), .stateFull(bytes: 2, max: 1),
        .damagedRecord(sequence: 7), .storageFull(message: "The disk is full."), .outcomeUnknown(message: "The disk failed."),
        .readOnly, .storeBusy,
        .queryBusy,
        .tooManyConnections, .stopping, .unknownCommand(id: CommandID(sequence: 1, index: 0)),
        .commandClosed(id: CommandID(sequence: 1, index: 0)), .commandRunning(id: CommandID(sequence: 1, index: 2)),
        .tooManyCommands, .tooManyDelayedCommands(max: 32_768, uid: nil),
        .badArguments(message: "A text is expected.", id: CommandID(sequence: 1, index: 0), path: "id"),
        .commandHeld(id: CommandID(sequence: 1, index: 0)), .backupRefused(message: "It is not empty."), .overtaken,
    ])
    func `every error is declared with its parameters`(error: APIError) throws {
        let store = try #require(Self.descriptions.last)
        let declared = try #require(store.errors.first { store.name + "." + $0.name == error.name })
        #expect(store.mismatch(of: error.parameters, with: declared.parameters) == nil)
        #expect(declared.parameters.map(\.name) == error.parameters.map(\.name))
        #expect(error.parameters["message"]?.text == error.message)
        let read = try #require(APIError(CallError(error.name, error.parameters)))
        #expect(read.name == error.name && read.parameters == error.parameters)
    }

    @Test(arguments: [
        ("org.todod.feature.Todos.TitleTooShort", Refusal("TitleTooShort", of: "Todos", "Too short.")),
        ("org.todod.feature.BadLink", Refusal("BadLink", of: "", "No link.")),
        ("org.todod.feature.Thermostat.TooHot", Refusal("TooHot", of: "Thermostat", "It is too hot.")),
    ])
    func `a refusal of any feature is read, whether its name is known or not`(name: String, refusal: Refusal) throws {
        let error = APIError.refused(refusal, action: 2)
        #expect(error.name == name && error.parameters == [.init("message", .text(refusal.message)), .init("action", 2)])
        #expect(APIError(CallError(name, error.parameters)) == error)
        #expect(APIError(CallError(name)) == nil)
    }

    @Test func `exactly the existing capabilities are documented`() throws {
        let admin = try #require(Self.descriptions.first { $0.name == "org.todod.Admin" })
        let capabilities = try #require(admin.methods.first { $0.name == "Status" }?.output.first { $0.name == "capabilities" })
        let names = capabilities.documentation.joined(separator: " ").matches(of: /"([a-z.]+)":/).map { String($0.1) }
        #expect(names == Capability.allCases.map(\.rawValue))
    }

    @Test func `an error of a newer service is not decoded`() {
        #expect(APIError(CallError("org.todod.Store.Unheard", [.init("message", "m")])) == nil)
        #expect(APIError(CallError("org.todod.Store.StaleSequence")) == nil)
    }

    @Test func `the first parameter of every error is its message`() throws {
        let store = try #require(Self.descriptions.last)
        for error in store.errors { #expect(error.parameters.first?.name == "message", "\(error.name)") }
    }
}
