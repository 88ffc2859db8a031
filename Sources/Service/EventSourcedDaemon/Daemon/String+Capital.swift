extension String {
    /// The same with a capital at its beginning, as a sentence or a name has it.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
