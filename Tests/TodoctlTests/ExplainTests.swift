import Foundation
import Testing
import TodoAPI
import Varlink

@testable import todoctl

@Suite struct ExplainTests {
    static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")
    static let interfaces = ([ServiceDescription.text] + Interfaces.all).compactMap { try? InterfaceDescription(parsing: $0) }

    @Test func `every error of the interfaces has an explanation with a cause and a remedy`() {
        let names = Self.interfaces.flatMap { interface in interface.errors.map { interface.name + "." + $0.name } }
        #expect(ErrorDescription.all.map(\.name) == names)
        for error in ErrorDescription.all {
            #expect(!error.meaning.isEmpty, "\(error.short): say above it what it means")
            #expect(!error.cause.isEmpty, "\(error.short): say above it what usually leads to it, as \"# Cause: ...\"")
            #expect(
                !error.remedy.isEmpty,
                "\(error.short): say what to do, as \"# Remedy: ...\" above it or, if a command helps, in Failure.remedies")
        }
    }

    @Test func `each error has its remedy in one place, and there is no remedy for a missing error`() throws {
        var known: Set<String> = []
        for error in Self.interfaces.flatMap(\.errors) {
            known.insert(error.name)
            let isSaidThere = error.documentation.contains { $0.hasPrefix("Remedy: ") }
            #expect(!isSaidThere || Failure.remedies[error.name] == nil, "\(error.name) has two remedies")
        }
        for name in Failure.remedies.keys {
            let parts = name.split(separator: ".")
            guard parts.count == 2 else {
                #expect(known.contains(name), "\(name)")
                continue
            }
            let schema = Self.sources.appending(path: "Features/\(parts[0])/\(parts[0]).feature")
            #expect(try String(contentsOf: schema, encoding: .utf8).contains("\nrefusal \(parts[1])\n"), "\(name)")
        }
    }

    @Test func `the explanation of an error consists of sentences, whatever its source`() {
        for error in ErrorDescription.all { #expect(error.meaning.hasSuffix("."), "\(error.name): \(error.meaning)") }
        #expect(ErrorDescription.named("MethodNotFound")?.meaning == "The requested method was not found.")
    }

    @Test func `an error is found by its name, with or without its interface`() {
        for name in ["StaleSequence", "stalesequence", "org.todod.Store.StaleSequence"] {
            #expect(ErrorDescription.named(name)?.short == "StaleSequence")
        }
        #expect(ErrorDescription.named("Stale") == nil)
        #expect(ErrorDescription.named("PermissionDenied")?.code == .notPermitted)
    }

    /// The lists of the manual pages that are generated from the program; TODOD_MANUAL=1 writes them.
    @Test(
        arguments: [
            ("todoctl/Manual/todoctl.1", "EXIT STATUS", ManualList.statuses([(0, "It was done.")] + ManualList.client)),
            ("todod/Manual/todod.8", "EXIT STATUS", ManualList.statuses(ManualList.daemon)),
        ])
    func `the manual page has the generated list`(page: String, section: String, list: String) throws {
        let file = Self.sources.appending(path: "Programs/\(page)")
        var text = try String(contentsOf: file, encoding: .utf8)
        let head = try #require(text.range(of: ".Sh \(section)\n"))
        let start = try #require(text.range(of: ".Bl ", range: head.upperBound..<text.endIndex)).lowerBound
        let end = try #require(text.range(of: ".El\n", range: start..<text.endIndex)).upperBound
        if ProcessInfo.processInfo.environment["TODOD_MANUAL"] != nil {
            text.replaceSubrange(start..<end, with: list)
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            let isSame = text[start..<end] == list
            #expect(isSame, "To write it: TODOD_MANUAL=1 swift test --skip-build --traits CrashPoints --filter ExplainTests")
        }
    }
}

/// Lists of a manual page in mdoc(7).
private enum ManualList {
    static let client = Failure.Code.allCases.map { ($0.rawValue, $0.sentence) }
    static let daemon = ExitStatus.allCases.map { ($0.rawValue, $0.sentence) }

    static func statuses(_ rows: [(Int32, String)]) -> String {
        list(rows.map { number, sentence in ".It \(number)\n" + filled(sentence) })
    }

    private static func list(_ items: [String]) -> String { ".Bl -tag -width Ds\n" + items.joined() + ".El\n" }

    /// The words in lines of at most 80 characters.
    private static func filled(_ text: String) -> String {
        var (lines, line) = ([String](), "")
        for word in text.replacing("\\", with: "\\e").replacing("--", with: "\\-\\-").split(separator: " ") {
            // mdoc requires each sentence on a separate line.
            if !line.isEmpty, line.hasSuffix(".") || line.count + 1 + word.count > 80 {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        // A full stop or an apostrophe at the beginning of a line would begin a macro.
        return (lines + [line]).map { (".'".contains($0.first ?? " ") ? "\\&" : "") + $0 + "\n" }.joined()
    }
}
