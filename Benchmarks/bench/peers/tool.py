"""What a tool is here: whether it is installed, its store of so many customers, and its commands."""

import shutil
import subprocess

from ..machine import Machine, stop

# What a program keeps for each secret: the same text everywhere.
SECRET = b"~7hgUh2a*4<%z#g4qM%Ekx9dl9Wg~\n"


class Tool(Machine):
    """One tool, in an environment of its own; a workload that it does not have is not in `commands`."""

    name = ""
    needs = ()
    # The most records it is given, of those the most that are opened one process each, and the most rounds.
    largest, largest_loop, most_rounds = 10_000, 100, 15

    def __init__(self, machine):
        super().__init__(machine.programs, machine.work)

    def missing(self):
        """What keeps it from being measured; empty when nothing does."""
        absent = [program for program in self.needs if not self.has(program)]
        return f"not installed ({', '.join(absent)})" if absent else ""

    def prepare(self, count):
        raise NotImplementedError

    def commands(self, count, number):
        """{workload: command} of one round, in the order in which they run."""
        raise NotImplementedError

    def store(self, count):
        folder = self.work / f"{self.name}-{count}"
        folder.mkdir(exist_ok=True)
        return folder

    def feed(self, command, text=b""):
        """What a program prints that reads a text; it is not measured."""
        done = subprocess.run(command, env=self.environment, input=text, capture_output=True, check=False)
        if done.returncode != 0:
            stop(command, done.returncode, done.stderr.decode(errors="replace"))
        return done.stdout

    def clean_up(self):
        """Ends what the tool left running."""


def shell(script, *arguments):
    return ["sh", "-c", script, "sh", *map(str, arguments)]


def copied(source, target):
    """A copy for a command that changes what it works on."""
    if not target.exists():
        shutil.copy(source, target)
    return target
