import Foundation
import TestSupport
import Varlink

/// The effect of commands: a program that records its arguments and is slow for some of them.
struct TeamReminders {
    private static let slow = "slow "
    private let directory = TemporaryDirectory()

    init() throws {
        try directory.writeProgram(
            """
            #!/bin/sh
            case "$TODO_TITLE" in "\(Self.slow)"*) sleep 2 ;; esac
            printf '%s|%s\\n' "$TODO_TITLE" "$TODO_REMINDER" >> '\(directory.path)/told'

            """, to: "remind")
    }

    var path: String { "\(directory.path)/remind" }

    /// An action that adds a todo with an immediate reminder, identified by the key of its dispatch.
    static func add(_ key: String, isSlow: Bool) -> Value {
        let item: Value = ["title": .text((isSlow ? slow : "") + key), "remind": "2020-01-01T09:00"]
        return ["todos": ["add": ["items": [item]]]]
    }

    /// The names under which the program was called for each key.
    func names() -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        let text = (try? String(contentsOfFile: "\(directory.path)/told", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "|", omittingEmptySubsequences: false)
            let key = fields[0].split(separator: " ").last.map(String.init) ?? ""
            names[key, default: []].insert(fields.count == 2 ? String(fields[1]) : "")
        }
        return names
    }
}
