"""What vendors' tools and exporters print, turned into one form.

One module or package per vendor exposes ``READERS``. Every reader gives a dict with some of ``devices``,
``processes``, ``topology`` and the typed blocks of its tool; None stands for what the tool does not tell.
"""
