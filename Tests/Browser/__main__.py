"""Tests the page in a browser with real programs. Prints a line for each check; the exit code is 0 if all passed.

    python Tests/Browser --todod PATH --todoctl PATH --todoweb PATH [--small] [--only WORDS] [--files DIRECTORY]

`--files` takes the page's files from the sources instead of those that todoweb was built with.
"""

import argparse
import sys

from playwright.sync_api import sync_playwright

import access
import checks
import dispatching
import keys
import knowing
import losing
import markup
import pictures
import refusing
import state
import together
import travel
import undoing
import whatif
from machine import Programs

SUBJECTS = [travel, state, knowing, whatif, undoing, dispatching, together, losing, refusing, markup, access, keys]


def options():
    parser = argparse.ArgumentParser(prog="Tests/Browser", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for program in ("todod", "todoctl", "todoweb"):
        parser.add_argument(f"--{program}", required=True)
    parser.add_argument("--counterd", help="the daemon of the example, which is no todod")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--small", action="store_true", help="only what is part of every test run")
    parser.add_argument("--only", default="", help="only the sentences with these words")
    parser.add_argument("--files", help="the directory of the page's files in the sources")
    parser.add_argument("--failures", help="a directory for pictures of pages whose check failed")
    parser.add_argument("--picture", help="makes the picture of the README there, and checks nothing")
    parser.add_argument("--pictures", help="makes pictures of the page in many forms in this directory, and checks nothing")
    return parser.parse_args()


def main():
    chosen = options()
    programs = Programs(chosen.todod, chosen.todoctl, chosen.todoweb)
    with sync_playwright() as playwright:
        # Chromium's sandbox does not run as root, and most containers have too little shared memory.
        browser = playwright.chromium.launch(
            executable_path=chosen.chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])

        def stage():
            return checks.Stage(programs, browser, chosen)

        if chosen.picture or chosen.pictures:
            return pictures.make(stage(), chosen)
        wanted = [(sentence, function) for sentence, isSmall, function in checks.CHECKS
                  if (isSmall or not chosen.small) and chosen.only in sentence]
        failures = checks.run(stage, wanted)
    print(f"{len(wanted)} checks, " + ("all held" if failures == 0 else f"{failures} failed"))
    return min(failures, 1)


sys.exit(main())
