"""Where the programs are, which environment they get, and how one run of them is measured."""

import os
import shutil
import subprocess
import sys
from typing import NamedTuple


class Run(NamedTuple):
    """One process from spawn to wait: its time, the most memory it had, how it ended and what it said on stderr."""

    seconds: float
    peak: int
    status: int = 0
    said: str = ""


class Machine:
    """None of the user's own vault reaches a program that is measured."""

    def __init__(self, programs, work):
        self.programs, self.work = programs, work
        self.path = os.environ.get("PATH", "/usr/bin:/bin")
        self.cache = work / "cache"
        self.environment = {
            "PATH": self.path, "HOME": str(work), "LC_ALL": "C.UTF-8",
            "CVAULT_STATE_DIR": str(work / "state"), "XDG_CONFIG_HOME": str(work / "config"),
            "XDG_CACHE_HOME": str(self.cache), "XDG_DATA_HOME": str(work / "data"),
        }

    def has(self, program):
        return shutil.which(program, path=self.path) is not None

    def located(self, program):
        """One of ours, else one of the machine's."""
        own = self.programs / program
        return str(own) if own.exists() else shutil.which(program, path=self.path) or program

    def output(self, *command):
        """What a program prints; it is not measured."""
        done = subprocess.run([self.located(command[0]), *command[1:]], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)
        if done.returncode != 0:
            stop(command, done.returncode, done.stderr.decode(errors="replace"))
        return done.stdout

    def run(self, command):
        """A run that has to succeed."""
        done = self.attempt(command)
        if done.status != 0:
            stop(command, done.status, done.said)
        return done

    def attempt(self, command):
        """A run that may fail, its stdout thrown away."""
        watched = [self.programs / "stopwatch", self.located(command[0]), *command[1:]]
        done = subprocess.run(watched, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            stop(command, done.returncode, done.stdout.decode(errors="replace"))
        nanoseconds, peak, status = map(int, done.stdout.split())
        return Run(nanoseconds / 1e9, peak, status, done.stderr.decode(errors="replace"))


def stop(command, status, said):
    sys.exit(f"bench: {' '.join(map(str, command))} ended with {status}\n{said[-600:]}".rstrip())


def note(text):
    print(text, file=sys.stderr, flush=True)
