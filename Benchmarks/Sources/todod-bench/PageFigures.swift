import Foundation

/// What the page measures of itself in a browser, if there is one.
struct PageFigures: Decodable {
    private struct Jump: Decodable {
        var median: Double
        var worst: Double
    }

    private var firstPaintMilliseconds: Double
    private var jumpMilliseconds: Jump
    private var followWorstFrameMilliseconds: Double
    private var memoryMebibytes: Double

    /// Measures the page over a log that no daemon has open.
    static func measure(_ data: URL, _ setup: Setup, _ findings: inout Findings) throws(BenchmarkError) {
        if let missing = missing(setup) { return Progress.say("  the page is not measured: \(missing)") }
        let output = setup.folder.sockets.appending(path: "page.out")
        let program = Program(
            [setup.page.python, setup.page.script, "--todod", setup.todod, "--todoweb", setup.todoweb, "--data", data.path],
            socket: "", output: output)
        _ = try program.time()
        // Beside the figures it may say how far it is.
        let said = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        guard let line = said.split(separator: "\n").last(where: { $0.hasPrefix("{") }),
            let figures = try? JSONDecoder().decode(PageFigures.self, from: Data(line.utf8))
        else { throw BenchmarkError("\(setup.page.script) gave no figures: \(said.suffix(400))") }
        findings.add("the page's first paint, ms", figures.firstPaintMilliseconds, .atMost(1000))
        findings.add("a jump of the page, median", figures.jumpMilliseconds.median, "ms")
        findings.add("a jump of the page, slowest, ms", figures.jumpMilliseconds.worst, .atMost(100))
        findings.add("the page's longest frame as it follows, ms", figures.followWorstFrameMilliseconds, .atMost(50))
        findings.add("the page's memory, MiB", figures.memoryMebibytes, .atMost(300))
    }

    private static func missing(_ setup: Setup) -> String? {
        let files = FileManager.default
        guard files.fileExists(atPath: setup.page.script) else { return "there is no \(setup.page.script)" }
        guard files.isExecutableFile(atPath: "/usr/bin/chromium") else { return "there is no /usr/bin/chromium" }
        let output = setup.folder.sockets.appending(path: "python.out")
        let asked = Program([setup.page.python, "-c", "import playwright"], socket: "", output: output)
        do throws(BenchmarkError) {
            _ = try asked.time()
            return nil
        } catch { return "\(setup.page.python) has no playwright" }
    }
}
