/// What all parts share: the programs, where to work, and how much to do.
struct Setup: Sendable {
    var todod: String
    var todoctl: String
    var folder: WorkFolder
    var sizes: Sizes
}
