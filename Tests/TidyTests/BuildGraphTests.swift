import Foundation
import Testing

/// The import rules, applied to the transitive target dependencies.
@Suite struct BuildGraphTests {
    private static let graph = Result { try BuildGraph() }

    @Test(arguments: WallTests.walls) func `a target depends only on modules that its folder may import`(wall: Wall) throws {
        let graph = try Self.graph.get()
        for target in graph.targets(below: wall.folder) {
            let reached = graph.reach(of: target.name, behind: wall.layers)
            #expect(wall.offences(among: reached.sorted()).isEmpty, "\(target.name): \(wall.reason)")
        }
    }

    @Test func `every import rule applies to a target`() throws {
        let graph = try Self.graph.get()
        for wall in WallTests.walls { #expect(!graph.targets(below: wall.folder).isEmpty, "\(wall.folder)") }
    }

    @Test func `features and state depend only on each other`() throws {
        let graph = try Self.graph.get()
        let features = graph.targets(below: "Sources/Features").map(\.name)
        #expect(features.count >= 8)
        let truth = ["ChronicleValues", "Chronicle", "Expressions", "Dates", "TodoRules"] + features
        for name in truth {
            let target = try #require(graph.targets[name])
            #expect(target.folder.hasPrefix("Sources/"))
            #expect(graph.reach(of: name).subtracting(truth).isEmpty, "\(name)")
        }
    }

    @Test func `features do not depend on each other, and their tests do not depend on a daemon`() throws {
        let graph = try Self.graph.get()
        let features = Set(graph.targets(below: "Sources/Features").map(\.name))
        for feature in features where feature != "FeatureApp" {
            #expect(graph.reach(of: feature).isDisjoint(with: features), "\(feature)")
            #expect(!Repository.swiftFiles(below: "Tests/\(feature)Tests").isEmpty, "\(feature) has no tests of its own")
            guard let tests = graph.targets[feature + "Tests"] else { continue }
            #expect(tests.dependencies.contains("ChronicleTesting"), "\(tests.name)")
            #expect(graph.reach(of: tests.name).isDisjoint(with: ["ChronicleDaemon", "todod"]), "\(tests.name)")
        }
    }

    @Test func `the store and its tests depend on no database and no system library`() throws {
        let graph = try Self.graph.get()
        #expect(graph.reach(of: "ChronicleLog") == ["ChronicleValues"])
        // CMachine has threads and clocks for any POSIX system.
        let pure: Set = ["Chronicle", "ChronicleLog", "ChronicleValues", "CMachine", "Dates", "Expressions"]
        for name in ["ChronicleStore", "CommandRunning", "ChronicleTesting"] {
            let own = ["ChronicleStore", "CommandRunning", "CustomDump", "IssueReporting", "IssueReportingTestSupport"]
            #expect(graph.reach(of: name).subtracting(own) == pure, "\(name)")
        }
        #expect(graph.targets["CMachine"]?.dependencies.isEmpty == true)
        #expect(graph.reach(of: "DiskLog").isDisjoint(with: ["ChronicleStore", "Chronicle"]))
    }

    @Test func `replay can't run commands, and the client can't access the log`() throws {
        let graph = try Self.graph.get()
        for name in ["ChronicleStore", "TimeTravel"] {
            #expect(graph.reach(of: name).isDisjoint(with: ["CommandRunning", "DataSources", "HTTPSources"]), "\(name)")
        }
        #expect(graph.reach(of: "todoctl").isDisjoint(with: WallTests.keeping + ["NIOCore", "NIOPosix"]))
        #expect(graph.reach(of: "todod").isSuperset(of: ["LMDB", "NIOPosix", "FeatureApp"]))
    }

    @Test func `dependencies are transitive, except those of a layer`() throws {
        let json = """
            {"targets": [
                {"name": "A", "type": "regular", "path": "Sources/Features/A", "dependencies": [{"byName": ["B", null]}]},
                {"name": "B", "type": "regular", "dependencies": [{"target": ["C", null]}, {"byName": ["A", null]}]},
                {"name": "C", "type": "system-target", "dependencies": [{"product": ["NIOCore", "swift-nio", null, null]}]},
                {"name": "ATests", "type": "test", "dependencies": []}
            ]}
            """
        let graph = try BuildGraph(json: Data(json.utf8))
        #expect(graph.reach(of: "A") == ["A", "B", "C", "NIOCore"])
        #expect(graph.reach(of: "A", behind: ["B"]) == ["B"])
        #expect(graph.targets(below: "Sources/Features").map(\.name) == ["A"])
        #expect(graph.targets(below: "Sources").map(\.name) == ["A", "B", "C"])
        #expect(graph.targets["ATests"]?.folder == "Tests/ATests")
        let wall = Wall(folder: "Sources/Features", rule: .never(["NIO*"]), reason: "")
        #expect(wall.offences(among: graph.reach(of: "A").sorted()) == ["NIOCore"])
    }
}
