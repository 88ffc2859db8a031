import ChronicleValues
import Foundation
import Testing

/// The public JSON parsing test suite, which is stored outside the package.
private enum Suite {
    static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "../shared/data/json-test-suite/test_parsing").standardizedFileURL

    static let files: [URL] = {
        let found = try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        return (found ?? []).filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    }()

    static func files(of kind: String) -> [URL] {
        files.filter { $0.lastPathComponent.hasPrefix(kind) }
    }

    /// Parses with duplicate names allowed, because the suite treats them as valid.
    static func read(_ file: URL) throws -> Value? {
        let bytes = [UInt8](try Data(contentsOf: file))
        return try? Value(parsing: bytes, limits: JSONLimits(duplicateNames: .keep))
    }
}

@Suite(.enabled(if: !Suite.files.isEmpty, "the JSON test suite is not installed"))
struct JSONTestSuiteTests {
    @Test func `every valid text is accepted and round-trips`() throws {
        let files = Suite.files(of: "y_")
        #expect(files.count > 90)
        for file in files {
            let value = try #require(try Suite.read(file), "\(file.lastPathComponent)")
            let again = try Value(parsing: value.jsonBytes, limits: JSONLimits(duplicateNames: .keep))
            #expect(again == value, "\(file.lastPathComponent)")
        }
    }

    @Test func `every invalid text is refused`() throws {
        let files = Suite.files(of: "n_")
        #expect(files.count > 180)
        for file in files {
            #expect(try Suite.read(file) == nil, "\(file.lastPathComponent)")
        }
    }

    @Test func `an implementation-defined text is refused or round-trips`() throws {
        let files = Suite.files(of: "i_")
        #expect(files.count > 30)
        for file in files {
            guard let value = try Suite.read(file) else { continue }
            #expect(try Value(parsing: value.jsonBytes, limits: JSONLimits(duplicateNames: .keep)) == value)
        }
    }
}
