"""What the Berkeley Function Calling Leaderboard (BFCL) does in its own way: decoding, accepted values, value rules.

Source: bfcl-eval 2026.3.23, run on public model outputs; all of this is our own writing of what it does.
"""
