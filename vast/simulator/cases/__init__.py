"""Scheduling cases: small worlds written down as YAML, and the decisions to expect in them."""
