/// What all parts share: the programs, where to work, and how much to do.
struct Setup: Sendable {
    var todod: String
    var todoctl: String
    var todoweb: String
    /// What measures the page in a browser, and the Python that has what it needs.
    var page: (script: String, python: String)
    var folder: WorkFolder
    var sizes: Sizes
    /// Where the large history is kept from one run to the next; `nil`: nowhere.
    var history: String?
}
