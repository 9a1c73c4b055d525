"""The campaign: kills, damage and nonsense by the thousand, each case repeatable by its number.

`python -m tests.campaign --minutes 10` runs it; docs/reliability.md says what it looks for.
"""
