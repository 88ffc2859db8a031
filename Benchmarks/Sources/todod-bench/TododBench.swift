import ArgumentParser
import Foundation

/// Measures the finished programs from outside: over the socket, by the clock and by /proc.
@main
struct TododBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "todod-bench", abstract: "Measure todod, todoctl and todoweb; a table on stdout, JSON in a file.")

    @Option(help: "The daemon to measure.") var todod = ".build/release/todod"
    @Option(help: "The client to measure.") var todoctl = ".build/release/todoctl"
    @Option(help: "The server of the page to measure.") var todoweb = ".build/release/todoweb"
    @Option(help: "What measures the page in a browser.") var pageFigures = "Tests/Browser/figures.py"
    @Option(help: "The Python of that, with playwright; where that or Chromium is missing, the page is not measured.")
    var python = ".build/venv/bin/python"
    @Option(help: "Where the figures go as JSON.") var json = ".build/benchmarks.json"
    @Option(help: "A directory on the disk to measure; a folder of its own is made in it, and removed.") var directory = ".build"
    @Option(help: "Only these parts; may be repeated.") var only: [Part] = []
    @Option(help: "A directory for the history of `travel`: made if it isn't there, and kept for the next run.")
    var history: String?
    @Flag(help: "Smaller sizes and fewer rounds: shows that it works, not how fast it is.") var quick = false

    func validate() throws {
        for program in [todod, todoctl, todoweb] where !FileManager.default.isExecutableFile(atPath: program) {
            throw ValidationError("there is no program \(program); `make build` makes all three")
        }
    }

    func run() throws {
        let folder = try WorkFolder(in: directory)
        defer { folder.remove() }
        let setup = Setup(
            todod: URL(filePath: todod).path, todoctl: URL(filePath: todoctl).path, todoweb: URL(filePath: todoweb).path,
            page: (script: URL(filePath: pageFigures).path, python: URL(filePath: python).path), folder: folder,
            sizes: quick ? .quick : .full, history: history)
        var report = Report(isQuick: quick)
        for part in Part.allCases where only.contains(part) || only.isEmpty && !part.isOnDemand {
            Progress.say("\(part.rawValue) ...")
            do throws(BenchmarkError) {
                report.add(try part.run(setup), of: part)
            } catch {
                report.add(error, of: part)
                Progress.say("\(part.rawValue) failed: \(error.message)")
            }
        }
        print(report.table)
        try report.json().write(to: URL(filePath: json))
        print("\nas JSON: \(json)")
    }
}
