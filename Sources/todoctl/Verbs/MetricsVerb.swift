import ArgumentParser
import TodoAPI
import Varlink

struct MetricsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Print the daemon's metrics as Prometheus text.",
        discussion: """
            EXAMPLES:
              todoctl metrics
              todoctl metrics > /var/lib/prometheus/node-exporter/todod.prom
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            let reply = try session.client.call(Frame.call(MetricsMethod.self, NoFields()))
            if session.isJSON { return session.output.json(reply) }
            for line in (reply["text"]?.string ?? "").split(separator: "\n", omittingEmptySubsequences: true) {
                session.output.line(Visible.text(String(line)))
            }
        }
    }
}
