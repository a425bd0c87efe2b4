"""Runs VAST on one machine: embedded servers, the supervisor of all processes, and ``vast up``."""
