/// The values of one metric with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// Writes its lines.
    func render(name: String, labels: MetricLabels, into text: inout String)
}
