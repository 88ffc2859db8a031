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
            .appending(path: "Sources/TodoAPI/Interfaces")
        for description in Self.descriptions {
            let file = try Data(contentsOf: folder.appending(path: description.name + ".varlink"))
            #expect(Array(description.text.utf8) == Array(file))
            #expect(!file.contains(13))
        }
    }

    @Test func `every method has the fields of its interface, and every method has messages`() throws {
        var known = Set<String>()
        func check<M: TodoAPI.Method>(_ method: M.Type) throws {
            let parts = M.name.split(separator: ".")
            let interface = try #require(Self.descriptions.first { $0.name == parts.dropLast().joined(separator: ".") })
            let described = try #require(interface.method(named: parts[parts.count - 1]))
            #expect(described.input.map(\.name) == M.Input.fieldNames, "\(M.name)")
            #expect(described.output.map(\.name) == M.Output.fieldNames, "\(M.name)")
            known.insert(M.name)
        }
        try check(DispatchMethod.self)
        try check(OpenMethod.self)
        try check(GetStateMethod.self)
        try check(ViewMethod.self)
        try check(SubscribeMethod.self)
        try check(LogMethod.self)
        try check(SetBookmarkMethod.self)
        try check(RemoveBookmarkMethod.self)
        try check(DiffMethod.self)
        try check(WhyMethod.self)
        try check(BisectMethod.self)
        try check(BlameMethod.self)
        try check(CheckMethod.self)
        try check(VerifyMethod.self)
        try check(BookmarksMethod.self)
        try check(WhatIfMethod.self)
        try check(StatusMethod.self)
        try check(ClientsMethod.self)
        try check(PingMethod.self)
        try check(MetricsMethod.self)
        try check(CommandsMethod.self)
        try check(RetryCommandMethod.self)
        try check(SkipCommandMethod.self)
        try check(CancelCommandMethod.self)
        try check(HoldMethod.self)
        try check(ReleaseMethod.self)
        try check(DebugMethod.self)
        try check(DebugTailMethod.self)
        try check(UndoMethod.self)
        try check(RedoMethod.self)
        try check(RevertMethod.self)
        try check(ExportMethod.self)
        try check(UploadMethod.self)
        try check(ImportMethod.self)
        try check(BackupMethod.self)
        try check(RedactMethod.self)
        try check(CompactMethod.self)
        #expect(known == Set(Self.descriptions.flatMap { interface in interface.methods.map { "\(interface.name).\($0.name)" } }))
    }

    @Test func `every method needs one right, and these are they`() {
        let expected: [MethodRight: [String]] = [
            .read: [
                "Admin.Commands", "Admin.DebugTail", "Admin.Metrics", "Admin.Ping", "Admin.Status", "Admin.Verify",
                "History.Bisect", "History.Blame", "History.Bookmarks", "History.Check", "History.Diff", "History.Export",
                "History.Log", "History.WhatIf", "History.Why", "Store.GetState", "Store.Subscribe", "Store.View",
            ],
            .write: [
                "Admin.CancelCommand", "Admin.RetryCommand", "Admin.SkipCommand", "History.Redo",
                "History.RemoveBookmark", "History.Revert", "History.SetBookmark", "History.Undo", "Store.Dispatch", "Store.Open",
            ],
            .administer: [
                "Admin.Backup", "Admin.Clients", "Admin.Debug", "Admin.Hold", "Admin.Redact", "Admin.Release", "History.Compact",
                "History.Import", "History.Upload",
            ],
        ]
        for right in MethodRight.allCases {
            let methods = MethodRight.needed.filter { $0.value == right }.keys.sorted()
            #expect(methods == expected[right]?.map { "org.todod." + $0 }, "\(right)")
        }
        let described = Self.descriptions.flatMap { interface in interface.methods.map { "\(interface.name).\($0.name)" } }
        #expect(Set(MethodRight.needed.keys) == Set(described))
    }

    @Test func `every named type has the fields of its message, in each interface that has it`() throws {
        let messages: [String: [String]] = [
            "Point": Point.fieldNames, "Change": Change.fieldNames, "CommandID": CommandID.fieldNames,
            "Command": CommandMessage.fieldNames, "Record": RecordMessage.fieldNames, "Snapshot": SnapshotMessage.fieldNames,
            "Outbox": OutboxMessage.fieldNames, "Client": ClientMessage.fieldNames, "Bookmark": BookmarkMessage.fieldNames,
            "LogDetail": LogDetailMessage.fieldNames, "CommandFate": CommandFateMessage.fieldNames,
            "Look": LookMessage.fieldNames, "Origin": OriginMessage.fieldNames, "Span": SpanMessage.fieldNames,
            "Damage": DamageMessage.fieldNames, "Effect": EffectMessage.fieldNames, "Conflict": Conflict.fieldNames,
            "OpenCommand": OpenCommandMessage.fieldNames,
            "Alteration": AlterationMessage.fieldNames, "AlteredRecord": AlteredRecordMessage.fieldNames,
            "MissingCommand": MissingCommandMessage.fieldNames, "AskedCommand": AskedCommandMessage.fieldNames,
        ]
        for type in Self.descriptions.flatMap(\.types) {
            guard case .structure(let fields) = type.type else {
                Issue.record("\(type.name) is no struct")
                continue
            }
            #expect(messages[type.name] == fields.map(\.name), "\(type.name)")
        }
        #expect(Set(messages.keys) == Set(Self.descriptions.flatMap(\.types).map(\.name)))
    }

    @Test func `types that two interfaces share are the same in both`() {
        var types: [String: InterfaceType] = [:]
        for type in Self.descriptions.flatMap(\.types) {
            if let other = types.updateValue(type.type, forKey: type.name) { #expect(other == type.type, "\(type.name)") }
        }
    }

    @Test(arguments: [
        APIError.refused(Refusal("TitleTooShort", "Too short."), action: 2),
        .badAction(ValueMismatch("todos.add", "Unknown field."), action: 1),
        .unknownFeature("x"), .unknownScope("x", known: ["y"]), .staleSequence(sequence: 4), .staleIndex(sequence: 4), .keyReused,
        .keyTooLong,
        .nothingToUndo, .nothingToRedo, .notStanding(3), .nothingLeft(3), .stepOfAnother(3, uid: 1001),
        .changedSince([Conflict("counter.count", expected: 1, found: nil)]),
        .unknownStep(3), .unknownOwnStep(3), .batchTooLarge, .answerTooLarge, .trialTooLarge, .epochChanged(2),
        .futureSequence(first: 0, last: 9),
        .prunedSequence(first: 5, last: 9), .emptyRange(from: 7, to: 3), .unknownBookmark("release"),
        .badBookmark("now", message: "It means a moment by itself."), .badExpression(message: "Expected a path.", column: 3),
        .badAlteration(1, message: "12 is edited twice."), .tooManyBookmarks(max: 4_096),
        .damagedRecord(sequence: 7), .storageFull(message: "The disk is full."), .outcomeUnknown, .readOnly, .storeBusy,
        .queryBusy,
        .tooManyConnections, .stopping, .unknownCommand(CommandID(sequence: 1, index: 0)),
        .commandClosed(CommandID(sequence: 1, index: 0)), .commandRunning(CommandID(sequence: 1, index: 2)), .tooManyCommands,
        .commandHeld(CommandID(sequence: 1, index: 0)), .backupRefused(message: "It is not empty."), .overtaken,
    ])
    func `every error is declared with the parameters that it has`(error: APIError) throws {
        let store = try #require(Self.descriptions.last)
        let declared = try #require(store.errors.first { store.name + "." + $0.name == error.name })
        #expect(store.mismatch(of: error.parameters, with: declared.parameters) == nil)
        #expect(declared.parameters.map(\.name) == error.parameters.map(\.name))
        #expect(error.parameters["message"]?.string == error.message)
    }

    @Test func `every refusal by a rule has a message and the index of the action`() throws {
        let store = try #require(Self.descriptions.last)
        for error in store.errors { #expect(error.parameters.first?.name == "message", "\(error.name)") }
    }
}
