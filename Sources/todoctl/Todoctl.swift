import ArgumentParser
@main struct Todoctl: ParsableCommand { }
