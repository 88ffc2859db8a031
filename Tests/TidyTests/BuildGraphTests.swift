import Foundation
import Testing

/// The same walls, in what is built: an import that is not declared doesn't compile, so what is declared is all there is.
@Suite struct BuildGraphTests {
    private static let graph = Result { try BuildGraph() }

    @Test(arguments: WallTests.walls) func `a target is built from what the wall of its folder lets through`(wall: Wall) throws {
        let graph = try Self.graph.get()
        for target in graph.targets(below: wall.folder) {
            var reached = graph.reach(of: target.name, behind: wall.layers)
            // The two programs are built in one go; that the one imports nothing of the other holds the wall around the sources.
            if target.name == "todod" { reached.remove("todoctl") }
            #expect(wall.offences(among: reached.sorted()).isEmpty, "\(target.name): \(wall.reason)")
        }
    }

    @Test func `every wall stands around a target that there is`() throws {
        let graph = try Self.graph.get()
        for wall in WallTests.walls { #expect(!graph.targets(below: wall.folder).isEmpty, "\(wall.folder)") }
    }

    @Test func `what is true reaches no screen, no socket and no database, over however many steps`() throws {
        let graph = try Self.graph.get()
        let features = graph.targets(below: "Sources/Features").map(\.name)
        #expect(features.count >= 8)
        let truth = ["Values", "Reducing", "PersistentCollections", "Fields", "Expressions", "Dates", "TodoRules"] + features
        for name in truth {
            let target = try #require(graph.targets[name])
            #expect(target.folder.hasPrefix("Sources/"))
            // A product of another package, or a library of the system, is in nobody's list here.
            #expect(graph.reach(of: name).subtracting(truth).isEmpty, "\(name)")
        }
    }

    @Test func `a feature is built without the others, and all of them are tested without a daemon`() throws {
        let graph = try Self.graph.get()
        let features = Set(graph.targets(below: "Sources/Features").map(\.name))
        for feature in features where feature != "FeatureApp" {
            #expect(graph.reach(of: feature).isDisjoint(with: features), "\(feature)")
            #expect(!Repository.swiftFiles(below: "Tests/\(feature)Tests").isEmpty, "\(feature) has no tests of its own")
            guard let tests = graph.targets[feature + "Tests"] else { continue }
            #expect(tests.dependencies.contains("StoreTesting"), "\(tests.name)")
            #expect(graph.reach(of: tests.name).isDisjoint(with: ["StoreRuntime", "CommandRunning", "todod"]), "\(tests.name)")
        }
    }

    @Test func `a feature and a store are tried out with neither a database nor a library of the system`() throws {
        let graph = try Self.graph.get()
        let pure: Set = ["Records", "Reducing", "Values"]
        #expect(graph.reach(of: "Records") == ["Values"])
        #expect(graph.reach(of: "StoreTesting") == pure.union(["CustomDump", "IssueReporting"]))
        // The one target of C that is compiled with them holds threads and clocks, for Linux and for any other POSIX.
        for name in ["StoreRuntime", "CommandRunning"] {
            #expect(graph.reach(of: name).subtracting(["StoreRuntime"]) == pure.union(["CMachine", "Expressions"]), "\(name)")
        }
        #expect(graph.targets["CMachine"]?.dependencies.isEmpty == true)
        #expect(graph.reach(of: "DiskLog").isDisjoint(with: ["StoreRuntime", "Reducing"]))
    }

    @Test func `what replays can't reach what runs, and the client can't reach the log`() throws {
        let graph = try Self.graph.get()
        for name in ["StoreRuntime", "TimeTravel"] {
            #expect(graph.reach(of: name).isDisjoint(with: ["CommandRunning", "DataSources", "HTTPSources"]), "\(name)")
        }
        #expect(graph.reach(of: "todoctl").isDisjoint(with: WallTests.keeping + ["NIOCore", "NIOPosix"]))
        #expect(graph.reach(of: "todod").isSuperset(of: ["LMDB", "NIOPosix", "FeatureApp"]))
    }

    @Test func `a step more is seen, and a layer hides what is its own business`() throws {
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
