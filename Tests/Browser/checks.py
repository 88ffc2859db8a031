"""What is checked: sentences, each with what tries it, and how they are run."""

import contextlib
import tempfile
import shutil
import time
import traceback

from history import told
from machine import Daemon, Web
from page import Page

CHECKS = []


class Skipped(Exception):
    """What a check needs is not there."""


def check(sentence, small=False):
    """Makes a function of a stage one of the checks; a small one is part of every test run."""

    def keep(function):
        CHECKS.append((sentence, small, function))
        return function

    return keep


class Stage:
    """What one check needs, made for it and removed behind it: daemons, servers, pages."""

    def __init__(self, programs, browser, options):
        self.programs = programs
        self.browser = browser
        self.options = options
        self.ending = contextlib.ExitStack()
        self.pages = []

    def daemon(self, history=told, program=None):
        """A daemon whose log tells a story, or another one."""
        daemon = Daemon(self.programs, program=program)
        self.ending.callback(daemon.remove)
        daemon.start()
        history(daemon)
        return daemon

    def web(self, daemon, *flags, **options):
        web = Web(self.programs, daemon, *flags, **options)
        self.ending.callback(web.kill)
        return web

    def open(self, address, isReady=True, **options):
        """A page of its own, which no other shares anything with, when it shows the state."""
        page = Page(self.browser, address, files=self.options.files, **options)
        self.ending.callback(page.close)
        self.pages.append(page)
        return page.ready() if isReady else page

    def page(self, *flags, at=None, history=told, **options):
        """A daemon and a page of it."""
        daemon = self.daemon(history)
        web = self.web(daemon, *flags)
        return daemon, self.open(web.address if at is None else web.at(at), **options)

    def directory(self):
        path = tempfile.mkdtemp(prefix="todod-browser.")
        self.ending.callback(shutil.rmtree, path, ignore_errors=True)
        return path


def run(stage_of, chosen):
    """Runs checks, with a line for each; answers how many failed."""
    failures = 0
    for sentence, function in chosen:
        began = time.monotonic()
        stage = stage_of()
        word = "ok  "
        try:
            with stage.ending:
                try:
                    function(stage)
                except Exception:
                    for page in stage.pages:
                        page.photograph(stage.options.failures, sentence)
                    raise
                for page in stage.pages:
                    page.expect_quiet()
        except Skipped as reason:
            word, sentence = "skip", f"{sentence}: {reason}"
        except Exception:
            failures += 1
            word = "FAIL"
            traceback.print_exc(limit=-4)
        print(f"{word} {sentence} ({time.monotonic() - began:.1f} s)", flush=True)
    return failures
