"""The node agent: tells the server what a node has and does, and runs tasks on it."""

from importlib.metadata import version

VERSION = version("vast")
PROTOCOL = 1
