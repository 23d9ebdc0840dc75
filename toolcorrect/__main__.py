"""``python -m toolcorrect``: the same as the command ``toolcorrect``."""

from toolcorrect.cli import app

if __name__ == "__main__":
    app()
